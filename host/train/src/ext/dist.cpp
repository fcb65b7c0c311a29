// dist.cpp: broch.dist/1.
#include "broch/ext/dist.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "base/hash.hpp"
#include "dist/callers.hpp"
#include "tables.hpp"

namespace broch::train {

namespace {

constexpr const char* kAllReduce = "broch.dist/1 all_reduce";
constexpr const char* kAllGather = "broch.dist/1 all_gather";
constexpr const char* kBroadcast = "broch.dist/1 broadcast";
constexpr const char* kBarrier = "broch.dist/1 barrier";
constexpr const char* kRanks = "broch.dist/1 ranks";

// A call that a rank is about to make; what and size must be the same on all ranks.
struct Call {
  uint64_t what, size, flags;
};

void require(bool holds, const std::string& diagnostic) {
  if (!holds) throw abi::CallError{BROCH_E_INVALID_ARGUMENT, diagnostic};
}

// On rank 0 alone the other ranks would never take part.
void require_everywhere(Trainer& trainer, Instance& instance, const char* function) {
  if (&instance == trainer.parts().trainer) return;
  if (!slot_of(trainer, instance, function).chief_only) return;
  throw abi::CallError{BROCH_E_FAILED_PRECONDITION,
                       std::string(function) + " in " + abi::describe(instance) +
                           ", which runs on rank 0 alone\n  hint: give it \"run_on\": \"all\", in "
                           "its metadata or in the manifest"};
}

std::string rank_text(size_t rank) { return "rank " + std::to_string(rank); }

base::Error other_call(const char* function, const std::string& found) {
  return {base::Exit::collective,
          {function, found, "the same calls in the same order on all ranks",
           "let nothing that a rank alone knows decide what is called"}};
}

// Whether a rank may be busy for as long as it needs. All ranks find the same: once they have
// agreed on a signal, they may have left trigger_step in different ways.
bool waits_without_limit(const Trainer& trainer) {
  return !trainer.in_step() && !trainer.parts().interrupt->agreed() &&
         trainer.position().during != Position::During::trigger_step;
}

// Where another rank has left the event early, by a stop or a signal, this one does so, too.
void meet(Trainer& trainer, dist::Group& group, const char* function) {
  const dist::Callers callers = dist::await_callers(group);
  if (callers.all) return;
  if (!callers.left)
    throw other_call(function, (callers.missing ? rank_text(callers.missing) : "another rank") +
                                   " has ended the event without this call");
  try {
    throw Interrupted{};
  } catch (...) {
    trainer.callbacks().pending().keep_current();
  }
  throw abi::CallError{BROCH_E_ABORTED,
                       std::string(function) + ": another rank has ended the event early"};
}

// flags: of this rank (plan/interrupt.hpp). Returns those of all ranks together.
uint8_t compare(dist::Group& group, const Instance& instance, const char* function, uint64_t size,
                uint8_t flags) {
  const Call mine{base::hash64(instance.name() + "\n" + function), size, flags};
  std::vector<Call> all(group.ranks().world);
  group.all_gather(std::as_bytes(std::span(&mine, 1)),
                   dist::parts_of(std::as_writable_bytes(std::span(all)), all.size()));
  for (size_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank].what != mine.what || all[rank].size != mine.size)
      throw other_call(function, rank_text(rank) + " made another call, or one of another size");
    flags |= static_cast<uint8_t>(all[rank].flags);
  }
  return flags;
}

// The ranks that train. Parameter servers are not among them.
dist::Ranks ranks_of(const Instance& instance) {
  if (const auto* const group = instance.context().find<dist::Group>()) return group->ranks();
  dist::Ranks ranks;
  const auto* const run = instance.context().find<tower::RunContext>();
  if (!run || run->rank >= run->ranks) return ranks;
  ranks.rank = run->rank;
  ranks.world = run->ranks;  // more than 1 with --no-collectives
  return ranks;
}

void require_communication(const Instance& instance, const char* function) {
  if (ranks_of(instance).world == 1) return;
  throw abi::CallError{BROCH_E_FAILED_PRECONDITION,
                       std::string(function) +
                           ": the ranks of this run do not communicate\n  hint: leave "
                           "--no-collectives out"};
}

// check: gets the number of ranks and throws for errors that this rank can find alone. body: gets
// the group, or nullptr if there is one rank.
template <class Check, class Body>
broch_status together(const broch_host* host, const char* function, uint64_t size, Check&& check,
                      Body&& body) {
  return serve(host, function, Role::main, [&](Instance& instance) {
    Trainer& trainer = trainer_of(instance);
    require_everywhere(trainer, instance, function);
    dist::Group* const all = trainer.parts().group;
    check(all ? all->ranks().world : 1);
    if (!all) require_communication(instance, function);
    meet_ranks(trainer, function);
    dist::Group* const group = all ? &trainer.group_of_plugins() : nullptr;
    if (group)
      trainer.note_rank_flags(
          compare(*group, instance, function, size, trainer.parts().interrupt->rank_flags()));
    body(group);
    return BROCH_OK;
  });
}

double combined(std::span<const double> values, int32_t mode) {
  double result = values[0];
  for (const double value : values.subspan(1)) {
    if (mode == BROCH_REDUCE_SUM || mode == BROCH_REDUCE_MEAN)
      result += value;
    else if (std::isnan(value) || (mode == BROCH_REDUCE_MIN ? value < result : value > result))
      result = value;  // NaN, once there, stays
  }
  return mode == BROCH_REDUCE_MEAN ? result / static_cast<double>(values.size()) : result;
}

broch_status ranks(const broch_host* host, uint32_t* rank, uint32_t* world, uint32_t* local_rank) {
  return serve(host, kRanks, abi::kAnyRole, [&](Instance& instance) {
    given(rank, kRanks, "rank");
    given(world, kRanks, "world");
    given(local_rank, kRanks, "local_rank");
    const dist::Ranks found = ranks_of(instance);
    *rank = found.rank;
    *world = found.world;
    *local_rank = found.local_rank;
    return BROCH_OK;
  });
}

broch_status all_reduce(const broch_host* host, double* values, uint32_t n, int32_t mode) {
  const auto check = [&](uint32_t) {
    if (n) given(values, kAllReduce, "values");
    require(mode >= BROCH_REDUCE_SUM && mode <= BROCH_REDUCE_MAX,
            std::string(kAllReduce) + ": mode " + std::to_string(mode) +
                ", expected BROCH_REDUCE_SUM, _MEAN, _MIN or _MAX");
  };
  const auto body = [&](dist::Group* group) {
    if (!group || n == 0) return;
    const size_t world = group->ranks().world;
    std::vector<double> all(n * world), of_one(world);
    group->all_gather(std::as_bytes(std::span(values, n)),
                      dist::parts_of(std::as_writable_bytes(std::span(all)), world));
    for (size_t i = 0; i < n; ++i) {
      for (size_t rank = 0; rank < world; ++rank) of_one[rank] = all[rank * n + i];
      values[i] = combined(of_one, mode);
    }
  };
  return together(host, kAllReduce, uint64_t{n} << 8 | uint64_t(mode & 0xFF), check, body);
}

broch_status all_gather(const broch_host* host, const void* mine, uint64_t size, void* all) {
  const auto check = [&](uint32_t) {
    if (size == 0) return;
    given(mine, kAllGather, "mine");
    given(all, kAllGather, "all");
  };
  const auto body = [&](dist::Group* group) {
    if (size == 0) return;
    const std::span from(static_cast<const std::byte*>(mine), size);
    const std::span to(static_cast<std::byte*>(all), size * (group ? group->ranks().world : 1));
    if (group)
      group->all_gather(from, dist::parts_of(to, group->ranks().world));
    else
      std::ranges::copy(from, to.begin());
  };
  return together(host, kAllGather, size, check, body);
}

broch_status broadcast(const broch_host* host, void* bytes, uint64_t size, uint32_t root) {
  const auto check = [&](uint32_t world) {
    if (size) given(bytes, kBroadcast, "bytes");
    require(root < world, std::string(kBroadcast) + ": root " + std::to_string(root) +
                              ", expected a rank below " + std::to_string(world));
  };
  const auto body = [&](dist::Group* group) {
    if (group) group->broadcast({static_cast<std::byte*>(bytes), size}, root);
  };
  return together(host, kBroadcast, size << 16 | root, check, body);
}

broch_status barrier(const broch_host* host) {
  return together(
      host, kBarrier, 0, [](uint32_t) {},
      [](dist::Group* group) {
        if (group) group->barrier();
      });
}

}  // namespace

void meet_ranks(Trainer& trainer, const char* function) {
  dist::Group* const all = trainer.parts().group;
  if (all && waits_without_limit(trainer)) meet(trainer, *all, function);
}

const broch_host_dist kDistTable = {
    sizeof(broch_host_dist), 0, ranks, all_reduce, all_gather, broadcast, barrier};

}  // namespace broch::train
