// gloo.cpp: LibTorch's process group over Gloo, which works in host memory.
#include "gloo.hpp"

#include <ATen/ops/from_blob.h>

#include <cstdlib>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "dist/route.hpp"

namespace broch::dist {
namespace {

using Bytes = std::span<std::byte>;

constexpr std::chrono::hours kForever(24 * 365);
constexpr int kTag = 0;
// No machine has this address, so the default route leads there. Source: RFC 5737.
constexpr const char* kElsewhere = "192.0.2.1";

at::Tensor tensor_over(const std::byte* data, size_t size) {
  return at::from_blob(const_cast<std::byte*>(data), {static_cast<int64_t>(size)}, at::kByte);
}

c10::intrusive_ptr<c10d::Store> open_store(const Ranks& ranks, std::chrono::milliseconds timeout) {
  c10d::TCPStoreOptions options;
  options.port = ranks.port;
  options.isServer = ranks.serves && ranks.rank == 0;
  options.numWorkers = ranks.world;
  options.waitWorkers = false;
  options.multiTenant = true;
  options.timeout = timeout;
  if (options.isServer && ranks.listening >= 0) {
    options.masterListenFd = ranks.listening;
    options.useLibUV = false;
  }
  return c10::make_intrusive<c10d::TCPStore>(ranks.address, options);
}

// The network device for Gloo. It is the one that GLOO_SOCKET_IFNAME names, as in PyTorch;
// otherwise the one that leads to the address where the ranks meet. Gloo's own default is the name
// of this machine, which other machines often cannot reach.
std::shared_ptr<gloo::transport::Device> network_of(const Ranks& ranks) {
  using Engine = c10d::ProcessGroupGloo;
  const char* const name = std::getenv("GLOO_SOCKET_IFNAME");
  if (name && *name) return Engine::createDeviceForInterface(name);
  std::string address = address_towards(ranks.address, ranks.port);
  const auto loops = [](const std::string& host) {
    return host.starts_with("127.") || host == "::1" || host == "localhost";
  };
  // The machine's own name often resolves to a loopback address on the machine itself. Gloo's
  // default would be the same address.
  if (loops(address) && !loops(ranks.address)) address = address_towards(kElsewhere, ranks.port);
  return address.empty() ? Engine::createDefaultDevice() : Engine::createDeviceForHostname(address);
}

}  // namespace

Gloo::Gloo(const Ranks& ranks, std::chrono::milliseconds timeout)
    : Gloo(ranks, timeout, std::make_shared<Interruption>(),
           "broch/attempt" + std::to_string(ranks.attempt),
           at_place(ranks, "meeting the others", [&] { return open_store(ranks, timeout); })) {}

Gloo::Gloo(const Gloo& from, const Ranks& ranks, const std::string& name)
    : Gloo(ranks, from.timeout_, from.interruption_, name, from.store_) {}

Gloo::Gloo(const Ranks& ranks, std::chrono::milliseconds timeout,
           std::shared_ptr<Interruption> interruption, const std::string& name,
           c10::intrusive_ptr<c10d::Store> store)
    : ranks_(ranks), timeout_(timeout), interruption_(std::move(interruption)) {
  at_place(ranks_, "meeting the others", [&] {
    store_ = c10::make_intrusive<c10d::PrefixStore>(name, std::move(store));
    const auto options = c10d::ProcessGroupGloo::Options::create(timeout);
    options->devices.push_back(network_of(ranks));
    group_ = c10::make_intrusive<c10d::ProcessGroupGloo>(store_, static_cast<int>(ranks.rank),
                                                         static_cast<int>(ranks.world), options);
  });
  Gloo::barrier();
}

void Gloo::broadcast(Bytes bytes, uint32_t root, int) {
  if (bytes.empty()) return;
  at_place(ranks_, "broadcast", [&] {
    std::vector<at::Tensor> tensors{tensor_over(bytes.data(), bytes.size())};
    c10d::BroadcastOptions options;
    options.rootRank = root;
    group_->broadcast(tensors, options)->wait();
  });
}

void Gloo::all_gather(std::span<const std::byte> mine, std::span<const Bytes> all, int) {
  if (mine.empty()) return;
  at_place(ranks_, "all_gather", [&] {
    std::vector<at::Tensor> from{tensor_over(mine.data(), mine.size())};
    std::vector<std::vector<at::Tensor>> to(1);
    for (const Bytes& part : all) to[0].push_back(tensor_over(part.data(), part.size()));
    group_->allgather(to, from)->wait();
  });
}

void Gloo::send(std::span<const std::byte> bytes, uint32_t to, Limit limit) {
  if (bytes.empty()) return;
  at_place(ranks_, "send", [&] {
    std::vector<at::Tensor> tensors{tensor_over(bytes.data(), bytes.size())};
    wait(*group_->send(tensors, static_cast<int>(to), kTag), limit);
  });
}

void Gloo::receive(Bytes bytes, uint32_t from, Limit limit) {
  if (bytes.empty()) return;
  at_place(ranks_, "receive", [&] {
    std::vector<at::Tensor> tensors{tensor_over(bytes.data(), bytes.size())};
    wait(*group_->recv(tensors, static_cast<int>(from), kTag), limit);
  });
}

void Gloo::barrier() {
  at_place(ranks_, "barrier", [&] { group_->barrier()->wait(); });
}

Ranks Gloo::first_ranks(uint32_t count) const {
  Ranks ranks = ranks_;
  ranks.world = count;
  ranks.servers = 0;  // parameter servers are the last ranks; the first ones all train
  return ranks;
}

std::unique_ptr<Group> Gloo::first(uint32_t count, uint32_t number) {
  return std::make_unique<Gloo>(*this, first_ranks(count), first_name(number));
}

void Gloo::wait(c10d::Work& work, Limit limit) {
  if (limit == Limit::usual) {
    work.wait();
    return;
  }
  const Interruption::Call call(*interruption_, [&] { work.abort(); });
  const bool came = work.wait(kForever);
  if (!came) interruption_->check();
}

}  // namespace broch::dist
