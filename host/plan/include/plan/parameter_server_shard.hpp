// parameter_server_shard.hpp: variables whose values parameter servers keep, as one serve node
// updates them. Each server keeps some of the variables and their slots; workers have copies.
//
// A round: every worker sends its gradients; a server applies them one list after the other, in the
// order of ranks; then every worker gets the values. Between rounds worker 0 may ask for the slots.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dist/group.hpp"
#include "optimizer/optimizers.hpp"
#include "plan/names.hpp"

namespace broch::plan {

class ParameterServerShard {
 public:
  struct Deps {
    runtime::Backend* backend = nullptr;
    runtime::HyperParams* hypers = nullptr;
    Optimizers* optimizers = nullptr;
    dist::Group* everyone = nullptr;  // nullptr: there is one rank
  };
  // The number to apply with, of an update of these variables alone.
  using Announce = std::function<size_t(std::vector<runtime::Variable*>)>;

  // number: of this list among all of a run. replicas: variables that get the same values, as many
  // for each replica as `variables`. REQUIRES: all are on the CPU.
  ParameterServerShard(Deps deps, size_t number, std::vector<runtime::Variable*> variables,
                       std::vector<std::vector<runtime::Variable*>> replicas,
                       const Announce& announce);

  const std::vector<runtime::Variable*>& variables() const { return variables_; }
  const std::vector<std::vector<runtime::Variable*>>& replicas() const { return replicas_; }
  std::vector<size_t> applications() const;
  // Memory in which a worker's gradients are found without a copy.
  const std::vector<runtime::Tensor>& buffers() const { return gradient_buffers_; }

  // Of workers. A round; the flags (interrupt.hpp) of all of them, known to all after the same one.
  // gradients: of variables(), in that order.
  uint8_t exchange(const std::vector<runtime::Tensor>& gradients, uint8_t flags);
  // Worker 0: slots and counts of the optimizers as the servers have them.
  void fetch_state();

  // Of servers.
  void apply_gradients_of(uint32_t worker);
  void send_values(uint32_t worker);
  void send_state();

  // All ranks: values, slots and counts of rank 0.
  void spread();

 private:
  struct Bucket {                 // of one dtype
    std::vector<size_t> members;  // places in the list
    runtime::Backend::Flat gradients, values;
  };
  struct Share {
    size_t application = 0;
    std::vector<size_t> members;
    std::vector<Bucket> buckets;
  };
  uint32_t workers() const { return deps_.everyone->ranks().workers(); }
  Share make_share(std::vector<size_t> members, const Announce& announce);
  Share& own_share() { return shares_[deps_.everyone->ranks().rank - workers()]; }
  void send(const runtime::Tensor& buffer, uint32_t to);
  void receive(const runtime::Tensor& buffer, uint32_t from);

  Deps deps_;
  size_t number_;
  std::vector<runtime::Variable*> variables_;
  std::vector<std::vector<runtime::Variable*>> replicas_;
  std::vector<runtime::Tensor> gradient_buffers_;
  std::vector<Share> shares_;  // by server; without servers one
};

// What a worker says before anything else.
struct Request {
  enum class What : uint8_t { round, state, leave };
  What what = What::round;
  size_t list = 0;  // of round
  uint8_t flags = 0;
  std::vector<double> hypers;  // of round, by name: setters run on the workers
};
// count: how many hyper-parameters there are.
// Without a limit: servers wait for workers, and workers in turn, as long as callbacks take.
void send_request(dist::Group& everyone, Request request, size_t count, uint32_t to);
Request receive_request(dist::Group& everyone, size_t count, uint32_t from);

// Which server keeps a variable: in this order, each goes to the one that has the fewest bytes so
// far, the first of several. TensorFlow: `GreedyLoadBalancingStrategy` with `byte_size_load_fn`.
std::vector<uint32_t> spread_over_servers(const std::vector<size_t>& bytes, uint32_t servers);

}  // namespace broch::plan
