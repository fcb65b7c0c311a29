// servers.hpp: the parameter servers of a run: the ranks behind those that train.
#pragma once
#include "dist/group.hpp"
#include "plan/parameter_server_shard.hpp"
#include "plan/plans.hpp"
#include "train/names.hpp"

namespace broch::train {

class Servers {
 public:
  // everyone: all ranks; nullptr: there is only one. REQUIRES: all outlive this object.
  Servers(dist::Group* everyone, const Plans& plans, runtime::HyperParams& hypers)
      : everyone_(everyone), plans_(plans), hypers_(hypers) {}

  bool exist() const { return everyone_ && everyone_->ranks().servers > 0; }
  bool is_one() const { return exist() && everyone_->ranks().is_server(); }

  // On a server: serves its variables until the workers leave.
  void serve();

  // On the workers, around the training. Both do nothing without servers.
  void begin();
  void leave();
  // On the chief, during the training: fetches what only the servers have.
  void fetch_state();

 private:
  void spread();
  void tell(Request::What what);

  dist::Group* everyone_;
  const Plans& plans_;
  runtime::HyperParams& hypers_;
  bool wait_ = false;  // for requests
};

}  // namespace broch::train
