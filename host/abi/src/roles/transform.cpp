// transform.cpp: the role transform.
#include "abi/roles/transform.hpp"

#include "abi/point_notes.hpp"
#include "abi/seeds.hpp"
#include "base/hash.hpp"

namespace broch::abi {
namespace {

constexpr const char* kOrigin = "\n  the data point: ";

}  // namespace

Transform::Transform(Instance& instance)
    : RoleOf(instance, BROCH_ROLE_TRANSFORM),
      notes_(instance.context().find<const PointNotes>()),
      seed_(seed_of_all_ranks(instance)) {
  require_entry(instance, BROCH_ROLE_TRANSFORM, "apply", table_.apply);
  if (table_.flags & ~uint32_t{BROCH_TRANSFORM_MANY})
    throw violation(instance, "has the flags " + std::to_string(table_.flags) + " as a transform",
                    "0 or BROCH_TRANSFORM_MANY");
}

void Transform::apply(uint64_t key, broch_point in, broch_point out) {
  std::string origin;  // of a point that the plugin refuses
  try {
    invoke(*instance_, "apply", Role::any, kOnlyOk, [&] {
      const broch_point from = lend(in), to = lend(out);
      if (notes_) notes_->before_apply(*instance_, from, to, table_.flags & BROCH_TRANSFORM_MANY);
      const broch_status status = table_.apply(self_, base::hash64(key, seed_), from, to);
      if (status == BROCH_OK && notes_) notes_->after_apply(*instance_, from, to);
      if (status < 0 && notes_) origin = notes_->origin_of(*instance_, from);
      return status;
    });
  } catch (const PluginError& error) {
    const std::string text = error.what();
    if (origin.empty() || text.find(kOrigin) != std::string::npos) throw;
    throw PluginError(error.exit(), text + kOrigin + origin, error.status());
  }
}

}  // namespace broch::abi
