// gloo.hpp: ranks that communicate through LibTorch's process group over Gloo.
#pragma once
#include <memory>
#include <string>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include "base/error.hpp"
#include "dist/group.hpp"
#include "dist/interruption.hpp"

namespace broch::dist {

class Gloo : public Group {
 public:
  Gloo(const Ranks& ranks, std::chrono::milliseconds timeout);
  // A group of the first ranks of `from`. `name` is the prefix of the new group's keys in the
  // store.
  Gloo(const Gloo& from, const Ranks& ranks, const std::string& name);

  const Ranks& ranks() const override { return ranks_; }
  std::string engine() const override { return "Gloo (c10d)"; }
  void broadcast(std::span<std::byte> bytes, uint32_t root, int memory) override;
  void all_gather(std::span<const std::byte> mine, std::span<const std::span<std::byte>> all,
                  int memory) override;
  void send(std::span<const std::byte> bytes, uint32_t to, Limit limit) override;
  void receive(std::span<std::byte> bytes, uint32_t from, Limit limit) override;
  void barrier() override;
  std::unique_ptr<Group> first(uint32_t count, uint32_t number) override;
  void interrupt(const base::Error& why) override { interruption_->raise(why); }

 protected:
  // For first(): the ranks of the new group, and its name in the store.
  Ranks first_ranks(uint32_t count) const;
  static std::string first_name(uint32_t number) { return "group" + std::to_string(number); }
  const c10::intrusive_ptr<c10d::Store>& store() const { return store_; }
  std::chrono::milliseconds timeout() const { return timeout_; }

 private:
  Gloo(const Ranks& ranks, std::chrono::milliseconds timeout,
       std::shared_ptr<Interruption> interruption, const std::string& name,
       c10::intrusive_ptr<c10d::Store> store);
  void wait(c10d::Work& work, Limit limit);

  Ranks ranks_;
  std::chrono::milliseconds timeout_;
  std::shared_ptr<Interruption> interruption_;
  c10::intrusive_ptr<c10d::Store> store_;
  c10::intrusive_ptr<c10d::ProcessGroupGloo> group_;
};

// Makes the call, and turns exceptions of LibTorch into the error of a failed collective.
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

}  // namespace broch::dist
