// parameter_server_shard.cpp: one flat buffer per server and dtype, so that a round takes few
// messages.
#include "plan/parameter_server_shard.hpp"

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "plan/rank_gather.hpp"

namespace broch::plan {

namespace {

size_t bytes_of(const runtime::Variable& variable) {
  return static_cast<size_t>(variable.shape.elements()) * runtime::dtype_size(variable.dtype);
}

std::vector<double> hypers_of(runtime::HyperParams& hypers) {
  std::vector<double> values;
  for (const std::string& name : hypers.names()) values.push_back(hypers.get(name));
  return values;
}

}  // namespace

std::vector<uint32_t> spread_over_servers(const std::vector<size_t>& bytes, uint32_t servers) {
  std::vector<size_t> loads(servers);
  std::vector<uint32_t> server_of;
  for (const size_t size : bytes) {
    const auto least = std::ranges::min_element(loads);
    server_of.push_back(static_cast<uint32_t>(least - loads.begin()));
    *least += size;
  }
  return server_of;
}

void send_request(dist::Group& everyone, Request request, size_t count, uint32_t to) {
  request.hypers.resize(count);
  std::vector<double> numbers = {static_cast<double>(request.what),
                                 static_cast<double>(request.list),
                                 static_cast<double>(request.flags)};
  numbers.insert(numbers.end(), request.hypers.begin(), request.hypers.end());
  everyone.send(std::as_bytes(std::span(numbers)), to, dist::Limit::none);
}

Request receive_request(dist::Group& everyone, size_t count, uint32_t from) {
  std::vector<double> numbers(3 + count);
  everyone.receive(std::as_writable_bytes(std::span(numbers)), from, dist::Limit::none);
  return {static_cast<Request::What>(numbers[0]),
          static_cast<size_t>(numbers[1]),
          static_cast<uint8_t>(numbers[2]),
          {numbers.begin() + 3, numbers.end()}};
}

ParameterServerShard::ParameterServerShard(Deps deps, size_t number,
                                           std::vector<runtime::Variable*> variables,
                                           std::vector<std::vector<runtime::Variable*>> replicas,
                                           const Announce& announce)
    : deps_(deps),
      number_(number),
      variables_(std::move(variables)),
      replicas_(std::move(replicas)),
      gradient_buffers_(variables_.size()) {
  const uint32_t servers = deps_.everyone ? deps_.everyone->ranks().servers : 0;
  std::vector<size_t> bytes;
  for (const runtime::Variable* variable : variables_) bytes.push_back(bytes_of(*variable));
  const std::vector<uint32_t> server_of = spread_over_servers(bytes, std::max(servers, 1U));
  for (uint32_t server = 0; server < std::max(servers, 1U); ++server) {
    std::vector<size_t> members;
    for (size_t i = 0; i < variables_.size(); ++i)
      if (server_of[i] == server) members.push_back(i);
    shares_.push_back(make_share(std::move(members), announce));
  }
}

ParameterServerShard::Share ParameterServerShard::make_share(std::vector<size_t> members,
                                                             const Announce& announce) {
  Share share;
  share.members = std::move(members);
  if (share.members.empty()) return share;
  std::vector<runtime::Variable*> variables;
  std::map<broch_dtype, std::vector<size_t>> by_dtype;
  for (const size_t i : share.members) {
    variables.push_back(variables_[i]);
    by_dtype[variables_[i]->dtype].push_back(i);
  }
  share.application = announce(std::move(variables));
  if (!deps_.everyone) return share;
  for (auto& [dtype, places] : by_dtype) {
    std::vector<runtime::Tensor> values;
    for (const size_t i : places) values.push_back(variables_[i]->value);
    Bucket bucket{places, deps_.backend->flat_zeros_like(values),
                  deps_.backend->flat_zeros_like(values)};
    for (size_t k = 0; k < places.size(); ++k)
      gradient_buffers_[places[k]] = bucket.gradients.views[k];
    share.buckets.push_back(std::move(bucket));
  }
  return share;
}

std::vector<size_t> ParameterServerShard::applications() const {
  std::vector<size_t> numbers;
  for (const Share& share : shares_)
    if (!share.members.empty()) numbers.push_back(share.application);
  return numbers;
}

void ParameterServerShard::send(const runtime::Tensor& buffer, uint32_t to) {
  deps_.everyone->send(bytes_of(*deps_.backend, buffer), to);
}

void ParameterServerShard::receive(const runtime::Tensor& buffer, uint32_t from) {
  deps_.everyone->receive(bytes_of(*deps_.backend, buffer), from);
}

uint8_t ParameterServerShard::exchange(const std::vector<runtime::Tensor>& gradients,
                                       uint8_t flags) {
  runtime::Backend& backend = *deps_.backend;
  for (size_t i = 0; i < gradients.size(); ++i) backend.assign(gradient_buffers_[i], gradients[i]);
  const Request request{Request::What::round, number_, flags, hypers_of(*deps_.hypers)};
  for (uint32_t server = 0; server < shares_.size(); ++server) {
    send_request(*deps_.everyone, request, request.hypers.size(), workers() + server);
    for (const Bucket& bucket : shares_[server].buckets)
      send(bucket.gradients.buffer, workers() + server);
  }
  uint8_t of_all = 0;
  for (uint32_t server = 0; server < shares_.size(); ++server) {
    for (const Bucket& bucket : shares_[server].buckets)
      receive(bucket.values.buffer, workers() + server);
    std::byte flag{};
    deps_.everyone->receive(std::span(&flag, 1), workers() + server);
    of_all |= std::to_integer<uint8_t>(flag);
  }
  take_over();
  return of_all;
}

// The values that the servers have sent, all at once.
void ParameterServerShard::take_over() {
  runtime::Backend& backend = *deps_.backend;
  const runtime::Consistency::Change change(deps_.variables->consistency());
  const runtime::VariableWrites::Write write(deps_.variables->writes());
  for (const Share& share : shares_)
    for (const Bucket& bucket : share.buckets)
      for (size_t k = 0; k < bucket.members.size(); ++k) {
        backend.assign(variables_[bucket.members[k]]->value, bucket.values.views[k]);
        for (const auto& replica : replicas_)
          backend.assign(replica[bucket.members[k]]->value, bucket.values.views[k]);
      }
}

void ParameterServerShard::fetch_state() {
  for (uint32_t server = 0; server < shares_.size(); ++server)
    if (!shares_[server].members.empty())
      for (const runtime::Tensor& state : deps_.optimizers->slots_of(shares_[server].application))
        receive(state, workers() + server);
}

void ParameterServerShard::apply_gradients_of(uint32_t worker) {
  Share& share = own_share();
  if (share.members.empty()) return;
  for (const Bucket& bucket : share.buckets) receive(bucket.gradients.buffer, worker);
  GradientList list;
  for (const size_t i : share.members) {
    list.variables.push_back(variables_[i]);
    list.gradients.push_back(gradient_buffers_[i]);
  }
  deps_.optimizers->apply(share.application, list);
}

void ParameterServerShard::send_values(uint32_t worker) {
  for (const Bucket& bucket : own_share().buckets) {
    for (size_t k = 0; k < bucket.members.size(); ++k)
      deps_.backend->assign(bucket.values.views[k], variables_[bucket.members[k]]->value);
    send(bucket.values.buffer, worker);
  }
}

void ParameterServerShard::send_state() {
  const Share& share = own_share();
  if (share.members.empty()) return;
  for (const runtime::Tensor& state : deps_.optimizers->slots_of(share.application)) send(state, 0);
}

void ParameterServerShard::spread() {
  const auto broadcast = [&](const runtime::Tensor& value) {
    deps_.everyone->broadcast(bytes_of(*deps_.backend, value), 0);
  };
  for (const runtime::Variable* variable : variables_) broadcast(variable->value);
  for (const Share& share : shares_)
    if (!share.members.empty())
      for (const runtime::Tensor& state : deps_.optimizers->slots_of(share.application))
        broadcast(state);
}

}  // namespace broch::plan
