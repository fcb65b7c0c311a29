// operators.cpp: finds operators of the host.
#include "models/exported/operators.hpp"

namespace exported {

const HostOperator* HostOperators::find(const std::string& name) {
  const auto [place, is_new] = known_.try_emplace(name);
  if (!is_new) return place->second.get();
  const std::string text = broch::operator_schema(host_, name);
  if (text.empty()) return nullptr;
  auto found = std::make_unique<HostOperator>();
  found->schema = schema_of(text);
  if (table_->resolve(host_.c(), text.c_str(), &found->op) < 0) found->problem = host_.last_error();
  place->second = std::move(found);
  return place->second.get();
}

}  // namespace exported
