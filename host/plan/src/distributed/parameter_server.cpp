// parameter_server.cpp: serves rounds; in each, workers are handled in the order of their ranks.
#include "plan/parameter_server.hpp"

#include "base/error.hpp"

namespace broch::plan {

void ParameterServer::serve() {
  while (serve_round()) continue;
}

bool ParameterServer::serve_round() {
  const uint32_t workers = everyone_.ranks().workers();
  const Request first = request_of(0);
  uint8_t flags = 0;
  for (uint32_t worker = 0; worker < workers; ++worker) {
    const Request request = worker == 0 ? first : request_of(worker);
    if (request.what != first.what || request.list != first.list)
      throw base::Error{
          base::Exit::collective,
          {"parameter server, worker " + std::to_string(worker),
           "another request than that of worker 0", "the same steps on all workers",
           "let nothing that a rank alone knows decide what a step runs or when training ends"}};
    if (request.what == Request::What::leave) continue;
    flags |= request.flags;
    set_hypers(request.hypers);
    lists_[request.list]->apply_gradients_of(worker);
  }
  if (first.what == Request::What::leave) return false;
  const std::byte flag{flags};
  for (uint32_t worker = 0; worker < workers; ++worker) {
    lists_[first.list]->send_values(worker);
    everyone_.send(std::span(&flag, 1), worker);
  }
  return true;
}

// Worker 0 is the first of a round, and may ask for slots before it.
Request ParameterServer::request_of(uint32_t worker) {
  const size_t hypers = hypers_.names().size();
  while (true) {
    Request request = receive_request(everyone_, hypers, worker);
    if (request.what != Request::What::state) return request;
    for (ParameterServerShard* list : lists_) list->send_state();
  }
}

void ParameterServer::set_hypers(const std::vector<double>& values) {
  const std::vector<std::string> names = hypers_.names();
  for (size_t i = 0; i < names.size(); ++i)
    if (hypers_.get(names[i]) != values[i]) hypers_.set(names[i], values[i]);
}

}  // namespace broch::plan
