// child_inferencer.hpp: children that turn outputs of inference towers into numbers.
#pragma once
#include <string>
#include <vector>

#include "child.hpp"

namespace broch {
inline namespace v0 {

// A child of role inferencer; role/inferencer.h describes the functions. A failure of the child
// throws Error.
class ChildInferencer {
 public:
  using Role = RoleOf<broch_inferencer>;
  ChildInferencer() = default;  // no child: nothing else may be called
  ChildInferencer(const Host& host, const std::string& pointer)
      : host_(host), child_(host, pointer) {}
  // The names of the outputs that it needs, in order. Call it once.
  std::vector<std::string> fetches() const {
    struct Context {
      const Host& host;
      std::vector<std::string> wanted;
    } context{host_, {}};
    const broch_names names = {sizeof names, 0, &context,
                               [](void* of, const char* name) -> broch_status {
                                 auto& to = *static_cast<Context*>(of);
                                 return at_border(to.host.c(), [&]() -> broch_status {
                                   to.wanted.emplace_back(name);
                                   return BROCH_OK;
                                 });
                               }};
    host_.check(child_.table->fetches(child_.self, &names));
    return context.wanted;
  }
  void before_inference() const {
    if (child_.table->before_inference) host_.check(child_.table->before_inference(child_.self));
  }
  // values: in the order of fetches.
  void on_fetches(const std::vector<broch_tensor>& values) const {
    host_.check(child_.table->on_fetches(child_.self, values.data(), uint32_t(values.size())));
  }
  // Calls put(name, value) for each number of this round. put may throw.
  template <class Put>
  void after_inference(Put&& put) const {
    struct Context {
      const Host& host;
      Put& put;
    } context{host_, put};
    const broch_scalars scalars = {sizeof scalars, 0, &context,
                                   [](void* of, const char* name, double value) -> broch_status {
                                     const auto& [host, put] = *static_cast<const Context*>(of);
                                     return at_border(host.c(), [&, &put = put]() -> broch_status {
                                       put(std::string(name), value);
                                       return BROCH_OK;
                                     });
                                   }};
    host_.check(child_.table->after_inference(child_.self, &scalars));
  }

 private:
  Host host_;
  Child<broch_inferencer> child_;
};

}  // namespace v0
}  // namespace broch
