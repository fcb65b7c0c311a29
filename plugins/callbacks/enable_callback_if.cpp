// enable_callback_if.cpp: passes events on to another callback while a condition holds. tensorpack:
// `EnableCallbackIf`.
#include "gate.hpp"

namespace {

struct Options {
  broch::ChildCallback callback;
  broch::ChildFunction condition;

  static constexpr auto schema = broch::options(
      broch::option("callback", &Options::callback, "The callback."),
      broch::option("condition", &Options::condition,
                    "The events of an epoch and of a step reach the callback while this is not 0. "
                    "It is evaluated for each event; as long as it has no value, it does not "
                    "hold."));
};

class EnableCallbackIf final : public broch::callbacks::Gate {
 public:
  EnableCallbackIf(const broch::Host& host, const Options& options)
      : Gate(host, options.callback), condition_(options.condition) {}

 private:
  bool is_open() override { return condition_.call(progress(), 0).value_or(0) != 0; }

  broch::ChildFunction condition_;
};

}  // namespace

BROCH_CALLBACK(EnableCallbackIf, "broch.callback.enable-callback-if", "1.0.0",
               "Passes events on to another callback while a condition holds.", Options::schema,
               broch::produces())
