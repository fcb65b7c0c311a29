// a3c_atari.cpp: the components of a policy that learns games of Atari while simulators play them.
#include "actor_critic.hpp"
#include "players.hpp"
#include "score.hpp"

using namespace a3c;

BROCH_COMPONENTS(
    broch::component<ActorCritic>("a3c.actor-critic", "model", "1.0.0",
                                  "Probabilities of actions, and values of states.",
                                  ActorCriticOptions::schema),
    broch::component<Players>("a3c.players", "dataflow", "1.0.0",
                              "Plays with the present policy, and yields batches of what it did.",
                              PlayersOptions::schema, broch::roles("dataflow", "callback"),
                              broch::produces("frames", "episodes", "episode_score")),
    broch::component<Score>("a3c.score", "callback", "1.0.0", "The mean score of whole episodes.",
                            ScoreOptions::schema, broch::produces("score"), broch::evaluates()))
