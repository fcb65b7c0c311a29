// parameter_server.hpp: a rank that stores variables and does not train.
#pragma once
#include <vector>

#include "plan/names.hpp"
#include "plan/parameter_server_shard.hpp"

namespace broch::plan {

class ParameterServer {
 public:
  // lists: all shards of the run, by number. All references outlive this object.
  ParameterServer(dist::Group& everyone, runtime::HyperParams& hypers,
                  std::vector<ParameterServerShard*> lists)
      : everyone_(everyone), hypers_(hypers), lists_(std::move(lists)) {}

  // Serves until the workers leave. Throws base::Error (collective) if a worker is late or gone,
  // or does something else than the others.
  void serve();

 private:
  bool serve_round();  // false: the workers have left
  Request request_of(uint32_t worker);
  void set_hypers(const std::vector<double>& values);

  dist::Group& everyone_;
  runtime::HyperParams& hypers_;
  std::vector<ParameterServerShard*> lists_;
};

}  // namespace broch::plan
