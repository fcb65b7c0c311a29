// group_test.cpp: processes that meet over a socket of this machine.
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <thread>

#include "base/error.hpp"
#include "base/libtorch.hpp"
#include "dist/callers.hpp"
#include "dist/process_group.hpp"

namespace doctest {
template <>
struct StringMaker<std::vector<int>> {
  static String convert(const std::vector<int>& codes) {
    std::string text;
    for (const int code : codes) text += (text.empty() ? "" : ", ") + std::to_string(code);
    return text.c_str();
  }
};
}  // namespace doctest

using namespace broch;
using dist::Group;
using dist::Limit;
using dist::Ranks;

namespace {

using std::chrono::milliseconds;

// A socket that listens at a port of its own.
struct Listener {
  Listener() : descriptor(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    REQUIRE(bind(descriptor, reinterpret_cast<sockaddr*>(&address), size) == 0);
    REQUIRE(listen(descriptor, 64) == 0);
    REQUIRE(getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    port = ntohs(address.sin_port);
  }
  ~Listener() { close(descriptor); }
  int descriptor;
  uint16_t port = 0;
};

// What a rank does; the exit code of its process.
using Body = std::function<int(Group& group)>;

constexpr int kCollective = static_cast<int>(base::Exit::collective);

// What each rank would need a second for, and at a different time, is done once in their parent.
void load_engine() {
  base::load_named_libtorch();
  REQUIRE(dlopen(GLOO, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) != nullptr);
}

// The exit codes of all ranks; 100 + signal for one that was killed.
std::vector<int> run_ranks(uint32_t world, milliseconds timeout, const Body& body) {
  load_engine();
  const Listener listener;
  std::vector<pid_t> children;
  for (uint32_t rank = 0; rank < world; ++rank) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    Ranks ranks;
    ranks.rank = rank;
    ranks.world = world;
    ranks.address = "127.0.0.1";
    ranks.port = listener.port;
    ranks.listening = rank == 0 ? listener.descriptor : -1;
    int code = 99;
    try {
      const auto group = dist::join(ranks, timeout);
      code = body(group->everyone());
      if (code == 0) group->leave();
    } catch (const base::Error& error) {
      code = static_cast<int>(error.exit());
    }
    _Exit(code);
  }
  std::vector<int> codes;
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    codes.push_back(WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status));
  }
  return codes;
}

}  // namespace

TEST_CASE("group: ranks that are about to make a call learn whether all are") {
  for (const uint32_t absent : {0U, 1U, 2U, 3U})  // 3: none
    for (const bool left : {false, true}) {
      CAPTURE(absent);
      CAPTURE(left);
      const std::vector<int> codes = run_ranks(3, milliseconds(20000), [&](Group& group) {
        const bool here = group.ranks().rank != absent;
        if (here) {
          const dist::Callers callers = dist::await_callers(group);
          if (callers.all) return absent == 3 ? 0 : 1;
          if (callers.left != left) return 2;
          if (callers.missing != (group.ranks().rank == 0 ? absent : 0)) return 3;
        }
        // All come to the end of the event.
        return group.any(left) == left ? 0 : 4;
      });
      CHECK(codes == std::vector<int>{0, 0, 0});
    }
}

TEST_CASE("group: all get everybody's bytes, by rank, and what the root has") {
  const std::vector<int> codes = run_ranks(3, milliseconds(20000), [](Group& group) {
    const uint32_t rank = group.ranks().rank;
    const std::vector<float> mine{float(rank), float(rank) + 0.5F};
    std::vector<std::vector<float>> all(3, std::vector<float>(2));
    std::vector<std::span<std::byte>> places;
    for (auto& part : all) places.push_back(std::as_writable_bytes(std::span(part)));
    group.all_gather(std::as_bytes(std::span(mine)), places);
    for (size_t from = 0; from < 3; ++from)
      if (all[from] != std::vector<float>{float(from), float(from) + 0.5F}) return 1;
    std::vector<double> values{double(rank), 7};
    group.broadcast(std::as_writable_bytes(std::span(values)), 2);
    if (values != std::vector<double>{2, 7}) return 2;
    const std::vector<std::string> texts =
        group.all_gather(std::string(rank * 5, 'a' + char(rank)));
    if (texts != std::vector<std::string>{"", "bbbbb", "cccccccccc"}) return 3;
    if (group.all_gather(std::string()) != std::vector<std::string>(3)) return 4;
    for (const size_t size : {119, 120, 121, 100000}) {  // a first message has 120 bytes of a text
      const auto text_of = [&](size_t from) { return std::string(size * from, 'a' + char(from)); };
      if (group.all_gather(text_of(rank)) !=
          std::vector<std::string>{text_of(0), text_of(1), text_of(2)})
        return 5;
    }
    group.barrier();
    return 0;
  });
  CHECK(codes == std::vector<int>{0, 0, 0});
}

TEST_CASE("group: what one sends to another arrives in order, and some ranks meet by themselves") {
  const std::vector<int> codes = run_ranks(3, milliseconds(20000), [](Group& group) {
    const uint32_t rank = group.ranks().rank;
    constexpr int64_t kMany = 1 << 18;  // more than a socket takes at once
    std::vector<int64_t> first(kMany, rank + 1), second{int64_t{rank} + 10};
    if (rank < 2) {
      group.send(std::as_bytes(std::span(first)), 2);
      group.send(std::as_bytes(std::span(second)), 2);
      const std::unique_ptr<Group> two = group.first(2, 7);
      if (two->ranks().world != 2 || two->ranks().rank != rank) return 1;
      if (two->all_gather(std::to_string(rank)) != std::vector<std::string>{"0", "1"}) return 2;
    } else {
      for (const uint32_t from : {1U, 0U}) {
        group.receive(std::as_writable_bytes(std::span(first)), from);
        group.receive(std::as_writable_bytes(std::span(second)), from);
        if (first != std::vector<int64_t>(kMany, from + 1) || second[0] != from + 10) return 3;
      }
    }
    return 0;
  });
  CHECK(codes == std::vector<int>{0, 0, 0});
}

TEST_CASE("group: a rank that is busy for longer than the limit is waited for") {
  const std::vector<int> codes = run_ranks(3, milliseconds(1000), [](Group& group) {
    const uint32_t rank = group.ranks().rank;
    if (rank == 0) std::this_thread::sleep_for(milliseconds(2500));
    if (group.any(false)) return 1;
    if (rank == 1) std::this_thread::sleep_for(milliseconds(2500));
    if (!group.any(rank == 2)) return 2;
    if (rank == 2) std::this_thread::sleep_for(milliseconds(2500));
    return 0;
  });
  CHECK(codes == std::vector<int>{0, 0, 0});
}

TEST_CASE("group: one that has left is not waited for without an end") {
  const auto start = std::chrono::steady_clock::now();
  const std::vector<int> codes = run_ranks(3, milliseconds(1000), [](Group& group) {
    return group.ranks().rank == 1 ? 0 : int{group.any(false)};
  });
  CHECK(codes == std::vector<int>{kCollective, 0, kCollective});
  CHECK(std::chrono::steady_clock::now() - start > std::chrono::seconds(4));
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
}

TEST_CASE("group: what nobody reads any more fails to be written and ends no process") {
  const std::vector<int> codes = run_ranks(2, milliseconds(20000), [](Group&) {
    int pipe_ends[2];
    if (pipe(pipe_ends) != 0) return 1;
    close(pipe_ends[0]);
    return write(pipe_ends[1], "x", 1) == -1 && errno == EPIPE ? 0 : 2;
  });
  CHECK(codes == std::vector<int>{0, 0});
}

TEST_CASE("group: a rank that dies or stops ends the others within the limit") {
  // What the others do meanwhile.
  const auto meet = [](Group& group) {
    for (int i = 0; i < 3; ++i) group.barrier();
  };
  const auto ask = [](Group& group) { group.any(false); };
  const auto listen_to_it = [](Group& group) {
    std::byte byte{};
    group.receive(std::span(&byte, 1), 2, Limit::none);
  };
  const auto talk_to_it = [](Group& group) {
    const std::vector<std::byte> much(1 << 24);
    while (true) group.send(much, 2, Limit::none);
  };
  const std::vector<std::function<void(Group&)>> calls = {meet, ask, listen_to_it, talk_to_it};
  for (const auto& [signal, call] : std::vector<std::pair<int, size_t>>{
           {SIGKILL, 0}, {SIGSTOP, 0}, {SIGKILL, 1}, {SIGSTOP, 1}, {SIGSTOP, 2}, {SIGSTOP, 3}}) {
    CAPTURE(signal);
    CAPTURE(call);
    const auto start = std::chrono::steady_clock::now();
    int pipe_ends[2];
    REQUIRE(pipe(pipe_ends) == 0);
    const milliseconds limit(signal == SIGKILL ? 20000 : 6000);
    const std::vector<int> codes = run_ranks(3, limit, [&](Group& group) {
      if (group.ranks().rank == 2) {
        if (signal == SIGSTOP && fork() == 0) {  // wakes it when the others are through
          char byte;
          close(pipe_ends[1]);
          (void)!read(pipe_ends[0], &byte, 1);
          (void)!read(pipe_ends[0], &byte, 1);
          kill(getppid(), SIGKILL);
          _Exit(0);
        }
        kill(getpid(), signal);
      }
      int code = 0;
      try {
        calls[call](group);
      } catch (const base::Error& error) {
        code = static_cast<int>(error.exit());
      }
      (void)!write(pipe_ends[1], "x", 1);
      return code;
    });
    close(pipe_ends[0]);
    close(pipe_ends[1]);
    CHECK(codes == std::vector<int>{kCollective, kCollective, 100 + SIGKILL});
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(30));
  }
}

TEST_CASE("group: a rank that never comes is missed in time") {
  load_engine();
  const Listener listener;
  Ranks ranks;
  ranks.world = 2;
  ranks.address = "127.0.0.1";
  ranks.port = listener.port;
  ranks.listening = listener.descriptor;
  const pid_t child = fork();
  if (child == 0) {
    try {
      dist::join(ranks, milliseconds(1000));
    } catch (const base::Error& error) {
      _Exit(static_cast<int>(error.exit()));
    }
    _Exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WEXITSTATUS(status) == kCollective);
}

TEST_CASE("group: where the port is in use, the error says what to set") {
  load_engine();
  const Listener other;
  Ranks ranks;
  ranks.world = 2;
  ranks.address = "127.0.0.1";
  ranks.port = other.port;
  const pid_t child = fork();
  if (child == 0) {
    bool says = false;
    try {
      dist::join(ranks, milliseconds(5000));
    } catch (const base::Error& error) {
      says = std::string(error.what()).find("MASTER_PORT") != std::string::npos;
    }
    _Exit(says ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("group: too many open sockets are no fault of the other ranks") {
  const base::Error error =
      dist::lost_others(Ranks(), "meeting the others", "socket: Too many open files");
  CHECK(std::string(error.what()).find("ulimit -n") != std::string::npos);
}
