// cart_pole_dqn.cpp: the components of a deep Q-network that balances a pole on a cart.
#include "q_network.hpp"
#include "replay_memory.hpp"
#include "score.hpp"

using namespace cart_pole_dqn;

BROCH_COMPONENTS(
    broch::component<QNetwork>("cart-pole.q-network", "model", "1.0.0",
                               "Values of pushes to the left and to the right.",
                               NetworkOptions::schema),
    broch::component<ReplayMemory>("cart-pole.replay-memory", "dataflow", "1.0.0",
                                   "Plays, remembers, and yields batches of what it remembers.",
                                   MemoryOptions::schema, broch::roles("dataflow", "callback"),
                                   broch::produces("episode_length", "pushes")),
    broch::component<Score>("cart-pole.score", "callback", "1.0.0",
                            "The mean length of episodes without random pushes.",
                            ScoreOptions::schema, broch::produces("score"), broch::evaluates()))
