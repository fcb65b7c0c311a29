// mpi.cpp: ranks that communicate through an MPI library. This is a shared object of its own, which
// is opened if the manifest asks for it; it exports one function. All calls are made of messages
// between two ranks. So each wait can have a limit, and some ranks can form a group without the
// others.
#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <thread>

#include "base/error.hpp"
#include "base/text.hpp"
#include "dist/group.hpp"
#include "dist/interruption.hpp"

namespace broch::dist {
namespace {

using Bytes = std::span<std::byte>;
using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;

constexpr size_t kMost = size_t{1} << 30;  // bytes of one message, since MPI counts with int

// Initializes the MPI library if nobody has done so.
class Library {
 public:
  Library() {
    int there = 0;
    MPI_Initialized(&there);
    if (there) return;
    int given = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &given);
    if (given < MPI_THREAD_SERIALIZED)
      throw base::Error{base::Exit::plugin,
                        {"the MPI library", "one that only one thread may use",
                         "MPI_THREAD_SERIALIZED", "build Broch with another, such as Open MPI"}};
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
};

// Held during each MPI call: the training thread and the heartbeat's thread must not call at once.
std::mutex one_thread;

// MPI is not called again after a failure: a request that is still open might write to memory that
// its caller has freed.
std::atomic<bool> failed = false;

class Mpi final : public Group {
 public:
  // `number` identifies the group and keeps its messages apart from those of other groups. 0 is the
  // group of all ranks.
  Mpi(const Ranks& ranks, Milliseconds timeout, std::shared_ptr<Interruption> interruption,
      uint32_t number)
      : ranks_(ranks),
        timeout_(timeout),
        interruption_(std::move(interruption)),
        number_(static_cast<int>(number)) {
    if (number > 0) return;
    int rank = 0, world = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world);
    if (static_cast<uint32_t>(rank) != ranks.rank || static_cast<uint32_t>(world) != ranks.world)
      fail("meeting the others", "rank " + std::to_string(rank) + " of " + std::to_string(world) +
                                     " by MPI, which says otherwise than the environment");
    barrier();
  }

  // If all ranks get here, MPI is finalized. If one has failed, its process just ends, and the
  // launcher ends the other ranks.
  ~Mpi() override {
    if (number_ > 0) return;
    if (failed) return;
    try {
      timeout_ = std::min(timeout_, Milliseconds(10000));
      meet(kClosing);
      MPI_Finalize();
    } catch (const base::Error&) {
    }
  }

  const Ranks& ranks() const override { return ranks_; }
  std::string engine() const override { return "MPI"; }

  void broadcast(Bytes bytes, uint32_t root, int) override {
    Requests requests;
    if (ranks_.rank != root) {
      post_receive(requests, bytes, root, kTogether);
    } else {
      for (uint32_t to = 0; to < ranks_.world; ++to)
        if (to != root) post_send(requests, bytes, to, kTogether);
    }
    wait("broadcast", requests);
  }

  void all_gather(std::span<const std::byte> mine, std::span<const Bytes> all, int) override {
    gather(mine, all, kTogether);
  }

  void send(std::span<const std::byte> bytes, uint32_t to, Limit limit) override {
    Requests requests;
    post_send(requests, bytes, to, kDirect);
    wait("send", requests, limit);
  }

  void receive(Bytes bytes, uint32_t from, Limit limit) override {
    Requests requests;
    post_receive(requests, bytes, from, kDirect);
    wait("receive", requests, limit);
  }

  void barrier() override { meet(kTogether); }

  std::unique_ptr<Group> first(uint32_t count, uint32_t number) override {
    Ranks ranks = ranks_;
    ranks.world = count;
    ranks.servers = 0;  // parameter servers are the last ranks; the first ones all train
    return std::make_unique<Mpi>(ranks, timeout_, interruption_, number);
  }

  void interrupt(const base::Error& why) override { interruption_->raise(why); }

 private:
  using Requests = std::vector<MPI_Request>;
  enum Kind : int { kTogether, kDirect, kClosing };  // messages of different kinds never match
  int tag(Kind kind) const { return 3 * number_ + kind; }

  void gather(std::span<const std::byte> mine, std::span<const Bytes> all, Kind kind) {
    Requests requests;
    for (uint32_t other = 0; other < ranks_.world; ++other) {
      if (other == ranks_.rank) continue;
      post_receive(requests, all[other], other, kind);
      post_send(requests, mine, other, kind);
    }
    if (!mine.empty()) std::memcpy(all[ranks_.rank].data(), mine.data(), mine.size());
    wait("all_gather", requests);
  }
  void meet(Kind kind) {
    const std::byte here{};
    std::vector<std::byte> all(ranks_.world);
    gather(std::span(&here, 1), parts_of(all, all.size()), kind);
  }

  [[noreturn]] void fail(const char* what, const std::string& found) const {
    failed = true;
    throw lost_others(ranks_, what, found);
  }

  void check(const char* what, int code) const {
    if (code == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING];
    int size = 0;
    MPI_Error_string(code, text, &size);
    fail(what, std::string(text, static_cast<size_t>(size)));
  }

  // Starts MPI_Isend or MPI_Irecv (`call`) for the bytes, in messages of at most kMost bytes.
  template <class Piece, class Call>
  void post(const char* what, Requests& requests, Piece bytes, uint32_t other, Kind kind,
            Call&& call) {
    const std::lock_guard lock(one_thread);
    if (failed) return;  // wait() will throw
    for (size_t size; !bytes.empty(); bytes = bytes.subspan(size)) {
      size = std::min(bytes.size(), kMost);
      check(what, call(bytes.data(), static_cast<int>(size), MPI_BYTE, static_cast<int>(other),
                       tag(kind), MPI_COMM_WORLD, &requests.emplace_back()));
    }
  }
  void post_send(Requests& requests, std::span<const std::byte> bytes, uint32_t to, Kind kind) {
    post("send", requests, bytes, to, kind, MPI_Isend);
  }
  void post_receive(Requests& requests, Bytes bytes, uint32_t from, Kind kind) {
    post("receive", requests, bytes, from, kind, MPI_Irecv);
  }

  void interrupted() const {
    try {
      interruption_->check();
    } catch (const base::Error&) {
      failed = true;
      throw;
    }
  }

  bool all_done(const char* what, Requests& requests) const {
    const std::lock_guard lock(one_thread);
    if (failed) fail(what, "an earlier call that failed");
    int done = 0;
    check(what, MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done,
                            MPI_STATUSES_IGNORE));
    return done != 0;
  }

  // Polls, at first without a pause, because most answers come within microseconds.
  void wait(const char* what, Requests& requests, Limit limit = Limit::usual) const {
    constexpr std::chrono::microseconds kBusy{200}, kPause{50};
    const auto start = Clock::now();
    while (true) {
      if (limit == Limit::none) interrupted();
      if (all_done(what, requests)) return;
      const auto waited = Clock::now() - start;
      if (limit == Limit::usual && waited > timeout_)
        fail(what, "no answer within " +
                       base::general(std::chrono::duration<double>(timeout_).count(), 3) + " s");
      if (waited > kBusy) std::this_thread::sleep_for(kPause);
    }
  }

  Ranks ranks_;
  Milliseconds timeout_;
  std::shared_ptr<Interruption> interruption_;
  int number_;
};

}  // namespace
}  // namespace broch::dist

extern "C" __attribute__((visibility("default"))) broch::dist::Group* broch_dist_join(
    const broch::dist::Ranks& ranks, std::chrono::milliseconds timeout) {
  static const broch::dist::Library library;
  return new broch::dist::Mpi(ranks, timeout, std::make_shared<broch::dist::Interruption>(), 0);
}
