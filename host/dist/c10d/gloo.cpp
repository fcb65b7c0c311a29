// gloo.cpp: ranks that talk through the process group of LibTorch over Gloo. A shared object of its
// own, opened where there is more than one rank; exports one function.
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>

#include <cstdlib>
#include <cstring>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "base/error.hpp"
#include "dist/group.hpp"
#include "dist/interruption.hpp"
#include "dist/route.hpp"

namespace broch::dist {
namespace {

using Bytes = std::span<std::byte>;

constexpr std::chrono::hours kForever(24 * 365);

// The call with its failures as those of a collective.
template <class Call>
auto at_place(const Ranks& ranks, const char* what, Call&& call) {
  try {
    return call();
  } catch (const base::Error&) {
    throw;
  } catch (const std::exception& error) {
    std::string why = error.what();
    if (const auto* const torch = dynamic_cast<const c10::Error*>(&error))
      why = torch->what_without_backtrace();
    throw lost_others(ranks, what, why.substr(0, why.find('\n')));
  }
}

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

// That of GLOO_SOCKET_IFNAME, as in PyTorch; else the one that leads to where the ranks meet. The
// name of this machine, which Gloo goes by, often is an address that others cannot reach.
std::shared_ptr<gloo::transport::Device> network_of(const Ranks& ranks) {
  using Engine = c10d::ProcessGroupGloo;
  const char* const name = std::getenv("GLOO_SOCKET_IFNAME");
  if (name && *name) return Engine::createDeviceForInterface(name);
  const std::string address = address_towards(ranks.address, ranks.port);
  const auto loops = [](const std::string& host) {
    return host.starts_with("127.") || host == "::1" || host == "localhost";
  };
  // The machine's own name often stands for a loopback address on the machine itself.
  const bool misleads = loops(address) && !loops(ranks.address);
  return address.empty() || misleads ? Engine::createDefaultDevice()
                                     : Engine::createDeviceForHostname(address);
}

class Gloo final : public Group {
 public:
  Gloo(const Ranks& ranks, std::chrono::milliseconds timeout)
      : Gloo(ranks, timeout, std::make_shared<Interruption>(), "broch",
             at_place(ranks, "meeting the others", [&] { return open_store(ranks, timeout); })) {}

  // name: of what they meet for, in the store.
  Gloo(const Ranks& ranks, std::chrono::milliseconds timeout,
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
    barrier();
  }

  const Ranks& ranks() const override { return ranks_; }
  std::string engine() const override { return "Gloo (c10d)"; }

  void broadcast(Bytes bytes, uint32_t root) override {
    if (bytes.empty()) return;
    at_place(ranks_, "broadcast", [&] {
      std::vector<at::Tensor> tensors{tensor_over(bytes.data(), bytes.size())};
      c10d::BroadcastOptions options;
      options.rootRank = root;
      group_->broadcast(tensors, options)->wait();
    });
  }

  void all_gather(std::span<const std::byte> mine, std::span<const Bytes> all) override {
    if (mine.empty()) return;
    at_place(ranks_, "all_gather", [&] {
      std::vector<at::Tensor> from{tensor_over(mine.data(), mine.size())};
      std::vector<std::vector<at::Tensor>> to(1);
      for (const Bytes& part : all) to[0].push_back(tensor_over(part.data(), part.size()));
      group_->allgather(to, from)->wait();
    });
  }

  void send(std::span<const std::byte> bytes, uint32_t to, Limit limit) override {
    if (bytes.empty()) return;
    at_place(ranks_, "send", [&] {
      std::vector<at::Tensor> tensors{tensor_over(bytes.data(), bytes.size())};
      wait(*group_->send(tensors, static_cast<int>(to), kTag), limit);
    });
  }

  void receive(Bytes bytes, uint32_t from, Limit limit) override {
    if (bytes.empty()) return;
    at_place(ranks_, "receive", [&] {
      std::vector<at::Tensor> tensors{tensor_over(bytes.data(), bytes.size())};
      wait(*group_->recv(tensors, static_cast<int>(from), kTag), limit);
    });
  }

  void barrier() override {
    at_place(ranks_, "barrier", [&] { group_->barrier()->wait(); });
  }

  std::unique_ptr<Group> first(uint32_t count, uint32_t number) override {
    Ranks ranks = ranks_;
    ranks.world = count;
    ranks.servers = 0;  // whoever is among the first trains
    return std::make_unique<Gloo>(ranks, timeout_, interruption_, "group" + std::to_string(number),
                                  store_);
  }

  void interrupt(const base::Error& why) override { interruption_->raise(why); }

 private:
  static constexpr int kTag = 0;

  void wait(c10d::Work& work, Limit limit) {
    if (limit == Limit::usual) {
      work.wait();
      return;
    }
    const Interruption::Call call(*interruption_, [&] { work.abort(); });
    const bool came = work.wait(kForever);
    if (!came) interruption_->check();
  }

  Ranks ranks_;
  std::chrono::milliseconds timeout_;
  std::shared_ptr<Interruption> interruption_;
  c10::intrusive_ptr<c10d::Store> store_;
  c10::intrusive_ptr<c10d::ProcessGroupGloo> group_;
};

}  // namespace
}  // namespace broch::dist

extern "C" __attribute__((visibility("default"))) broch::dist::Group* broch_dist_join(
    const broch::dist::Ranks& ranks, std::chrono::milliseconds timeout) {
  return new broch::dist::Gloo(ranks, timeout);
}
