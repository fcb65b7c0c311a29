// simulators.hpp: the games of all simulators, each of which is a process that plays several of
// them, and the messages to and from them. tensorpack: `SimulatorMaster`, `SimulatorProcess`.
#pragma once
#include <zmq.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "frames.hpp"
#include "simulator_process.hpp"

namespace a3c {

// What simulator.py sends after each action, in these bytes.
struct Report {
  enum Kind : uint32_t { goes_on, ended, began };

  uint32_t game;
  uint32_t kind;  // ended, began: the frame is the first one of an episode
  float reward;   // of the action
  float score;    // of the episode that has ended
  uint8_t frame[kFrameBytes];
};
static_assert(sizeof(Report) == 16 + kFrameBytes);

// What it gets.
struct Order {
  uint32_t game, action;
};

struct SimulatorOptions {
  std::string python, simulator, game;

  static constexpr auto schema = broch::options(
      broch::option("python", &SimulatorOptions::python,
                    "A Python that has ale-py, numpy and pyzmq: a path, or a name to look up in "
                    "PATH.")
          .min_length(1)
          .by_default("python3"),
      broch::option("simulator", &SimulatorOptions::simulator, "The program that plays.").is_path(),
      broch::option("game", &SimulatorOptions::game, "The name of a ROM in ale-py.")
          .min_length(1)
          .by_default("pong"));
};

class Simulators {
 public:
  struct Crew {
    uint64_t processes, games;  // games of each process
    uint64_t seed;
  };

  Simulators(const SimulatorOptions& options, const Crew& crew) : crew_(crew) {
    try {
      make_folder();
      bind();
      for (uint64_t i = 0; i < crew.processes; ++i)
        processes_.push_back(std::make_unique<SimulatorProcess>(
            std::vector<std::string>{options.python, options.simulator, address(), options.game,
                                     std::to_string(i * crew.games), std::to_string(crew.games),
                                     std::to_string(crew.seed)},
            folder_ + "/log-" + std::to_string(i)));
    } catch (...) {
      end();
      throw;
    }
  }
  ~Simulators() { end(); }
  Simulators(const Simulators&) = delete;
  Simulators& operator=(const Simulators&) = delete;

  uint64_t games() const { return crew_.processes * crew_.games; }

  // Waits until there is a report, or the descriptor can be read, but not for long. Throws Error if
  // a simulator has died.
  void wait(int descriptor) {
    zmq_pollitem_t items[] = {{socket_, 0, ZMQ_POLLIN, 0}, {nullptr, descriptor, ZMQ_POLLIN, 0}};
    if (zmq_poll(items, descriptor >= 0 ? 2 : 1, kPatience) > 0 && ++looked_ % 1000 != 0) return;
    for (const auto& process : processes_) process->check();
  }
  // False: there is none now.
  bool receive(Report& report) {
    std::array<char, 64> sender;
    if (zmq_recv(socket_, sender.data(), sender.size(), ZMQ_DONTWAIT) < 0) return false;
    const int size = zmq_recv(socket_, &report, sizeof report, 0);
    if (size != int(sizeof report) || report.game >= games())
      throw broch::Error(BROCH_E_DATA_LOSS, "a simulator has sent " + std::to_string(size) +
                                                " bytes, expected a report of " +
                                                std::to_string(sizeof report));
    return true;
  }
  void send(const Order& order) {
    const std::string to = std::to_string(order.game / crew_.games * crew_.games);
    zmq_send(socket_, to.data(), to.size(), ZMQ_SNDMORE);
    zmq_send(socket_, &order, sizeof order, 0);
  }

 private:
  static constexpr long kPatience = 200;  // milliseconds

  std::string address() const { return "ipc://" + folder_ + "/socket"; }
  void make_folder() {
    const char* const place = std::getenv("TMPDIR");
    std::string folder = std::string(place && *place ? place : "/tmp") + "/broch-a3c-XXXXXX";
    if (!mkdtemp(folder.data()))
      throw broch::Error(BROCH_E_UNAVAILABLE, folder + ": " + strerror(errno));
    folder_ = folder;
  }
  void bind() {
    context_ = zmq_ctx_new();
    socket_ = context_ ? zmq_socket(context_, ZMQ_ROUTER) : nullptr;
    const int none = 0;
    if (!socket_ || zmq_setsockopt(socket_, ZMQ_LINGER, &none, sizeof none) != 0 ||
        zmq_bind(socket_, address().c_str()) != 0)
      throw broch::Error(BROCH_E_UNAVAILABLE, address() + ": " + zmq_strerror(errno));
  }
  void end() {
    processes_.clear();
    if (socket_) zmq_close(socket_);
    if (context_) zmq_ctx_term(context_);
    std::error_code ignored;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
  }

  Crew crew_;
  std::string folder_;  // that nobody else can open
  void *context_ = nullptr, *socket_ = nullptr;
  std::vector<std::unique_ptr<SimulatorProcess>> processes_;
  uint64_t looked_ = 0;
};

}  // namespace a3c
