// servers.cpp: requests of the workers to each server, and what a server does meanwhile.
#include "train/servers.hpp"

#include "plan/interrupt.hpp"
#include "plan/parameter_server.hpp"

namespace broch::train {

void Servers::serve() {
  spread();
  ParameterServer(*everyone_, hypers_, plans_.served_lists()).serve();
}

void Servers::begin() {
  if (!exist()) return;
  spread();
  wait_ = true;
}

void Servers::leave() {
  if (wait_) tell(Request::What::leave);
  wait_ = false;
}

void Servers::fetch_state() {
  if (!wait_) return;
  tell(Request::What::state);
  for (ParameterServerShard* list : plans_.served_lists()) list->fetch_state();
}

void Servers::spread() {
  everyone_->any(false);  // without a limit, as workers may load a checkpoint before
  for (ParameterServerShard* list : plans_.served_lists()) list->spread();
}

void Servers::tell(Request::What what) {
  const dist::Ranks& ranks = everyone_->ranks();
  const size_t hypers = hypers_.names().size();
  for (uint32_t server = ranks.workers(); server < ranks.world; ++server)
    send_request(*everyone_, {what, 0, kNoRankFlags, {}}, hypers, server);
}

}  // namespace broch::train
