// ppo.cpp: the components of a policy that learns to balance a pole from what it does.
#include "../cart-pole-dqn/score.hpp"
#include "actor_critic.hpp"
#include "rollout.hpp"

using cart_pole_dqn::Score;
using cart_pole_dqn::ScoreOptions;
using namespace ppo;

BROCH_COMPONENTS(
    broch::component<ActorCritic>("ppo.actor-critic", "model", "1.0.0",
                                  "Probabilities of pushes, and values of states.",
                                  ActorCriticOptions::schema),
    broch::component<Rollout>("ppo.rollout", "dataflow", "1.0.0",
                              "Plays with the present policy, and yields batches of what it did.",
                              RolloutOptions::schema, broch::roles("dataflow", "callback"),
                              broch::produces("episode_length", "pushes")),
    broch::component<Score>("ppo.score", "callback", "1.0.0",
                            "The mean length of episodes in which the likelier push is made.",
                            ScoreOptions::schema, broch::produces("score"), broch::evaluates()))
