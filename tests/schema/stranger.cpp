// stranger.cpp: a third party's callback, of which an editor is to know as much as of a built-in
// one.
#include <broch/broch.hpp>

namespace {

class Stranger final : public broch::Callback {
 public:
  explicit Stranger(const broch::Host&) {}
};

}  // namespace

BROCH_CALLBACK(Stranger, "org.example.stranger", "1.0.0", "Ends training on a plateau.", R"({
  "type": "object",
  "properties": {
    "metric": {"type": "string", "description": "the metric that is to get smaller"},
    "patience": {"type": "integer", "minimum": 1, "default": 5, "description": "epochs without a better value"},
    "direction": {"enum": ["falling", "rising"], "default": "falling", "description": "what counts as better"},
    "then": {"x-broch-component": "callback", "default": null, "description": "triggered at the end"},
    "limits": {"type": "object", "description": "when to end in any case", "properties": {
      "seconds": {"type": "number", "exclusiveMinimum": 0, "description": "time since the first step"}}}
  },
  "required": ["metric"], "additionalProperties": false})")
