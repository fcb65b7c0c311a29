// parameter_server_shard.hpp: the variables that one serve node updates on parameter servers. Each
// server stores some of the variables and their slots; workers have copies.
//
// In a round every worker sends its gradients; a server applies them one list after another, in
// the order of ranks; then every worker gets the new values. Between rounds worker 0 may ask for
// the slots.
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
    runtime::VariableStore* variables = nullptr;
    runtime::HyperParams* hypers = nullptr;
    Optimizers* optimizers = nullptr;
    dist::Group* everyone = nullptr;  // nullptr: there is only one rank
  };
  // Announces an update of these variables and returns the number of its application.
  using Announce = std::function<size_t(std::vector<runtime::Variable*>)>;

  // number: of this shard among all of the run. replicas: further variables that get the same
  // values; each list corresponds to `variables`. REQUIRES: all variables are on the CPU.
  ParameterServerShard(Deps deps, size_t number, std::vector<runtime::Variable*> variables,
                       std::vector<std::vector<runtime::Variable*>> replicas,
                       const Announce& announce);

  const std::vector<runtime::Variable*>& variables() const { return variables_; }
  const std::vector<std::vector<runtime::Variable*>>& replicas() const { return replicas_; }
  std::vector<size_t> applications() const;
  // Buffers for a worker's gradients, from which they need no copy.
  const std::vector<runtime::Tensor>& buffers() const { return gradient_buffers_; }

  // For workers: performs a round. gradients: in the order of variables(). Returns the combined
  // flags (interrupt.hpp) of all workers, the same for all in this round.
  uint8_t exchange(const std::vector<runtime::Tensor>& gradients, uint8_t flags);
  // For worker 0: fetches the optimizers' slots and counts from the servers.
  void fetch_state();

  // For servers.
  void apply_gradients_of(uint32_t worker);
  void send_values(uint32_t worker);
  void send_state();

  // For all ranks: copies values, slots and counts from rank 0 to all.
  void spread();

 private:
  struct Bucket {                 // variables of one dtype
    std::vector<size_t> members;  // indices in the list
    runtime::Backend::Flat gradients, values;
  };
  struct Share {
    size_t application = 0;
    std::vector<size_t> members;
    std::vector<Bucket> buckets;
  };
  void take_over();
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
  std::vector<Share> shares_;  // by server; a single one without servers
};

// The header of each message of a worker.
struct Request {
  enum class What : uint8_t { round, state, leave };
  What what = What::round;
  size_t list = 0;  // round: number of the list
  uint8_t flags = 0;
  std::vector<double> hypers;  // round: by name; they are set on the workers
};
// count: number of hyper-parameters. There is no time limit: servers wait for workers, and workers
// for each other, as long as callbacks take.
void send_request(dist::Group& everyone, Request request, size_t count, uint32_t to);
Request receive_request(dist::Group& everyone, size_t count, uint32_t from);

// Assigns variables to servers: in order, each goes to the server with the fewest bytes so far,
// the first one of several. TensorFlow: `GreedyLoadBalancingStrategy` with `byte_size_load_fn`.
std::vector<uint32_t> spread_over_servers(const std::vector<size_t>& bytes, uint32_t servers);

}  // namespace broch::plan
