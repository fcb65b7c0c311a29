// restore.cpp: loads variables from a checkpoint before training. tensorpack: `SaverRestore`,
// `SaverRestoreRelaxed`.
#include <broch/broch.hpp>

namespace {

class Restore final : public broch::SessionInit {
 public:
  explicit Restore(const broch::Host& host)
      : checkpoints_(host), path_(broch::Config(host).string("/path")) {
    // All options but the path are those of broch.checkpoint/1 restore.
    const broch::Config config(host);
    for (const char* name : {"prefix", "ignore", "include", "exclude", "relaxed"})
      options_ += (options_.empty() ? "{" : ",") + broch::json_text(name) + ":" +
                  config.json("/" + std::string(name));
    options_ += "}";
  }

  void init() override { checkpoints_.restore(path_, options_); }

 private:
  broch::Checkpoints checkpoints_;
  std::string path_, options_;
};

}  // namespace

BROCH_SESSION_INIT(Restore, "broch.session_init.restore", "1.0.0",
                   "Loads variables from a checkpoint before training.", R"({
  "type": "object",
  "properties": {
    "path": {"type": "string", "minLength": 1, "x-broch-path": true,
             "description": "A checkpoint file, a directory, or its file named checkpoint (the newest)."},
    "prefix": {"type": ["string", "null"], "default": null,
               "description": "Load variable prefix/x from x in the file."},
    "ignore": {"type": "array", "items": {"type": "string"}, "default": [],
               "description": "Names in the file that are not loaded."},
    "include": {"type": "array", "items": {"type": "string", "minLength": 1}, "default": [],
                "description": "Load only names in the file that one of these regular expressions matches as a whole; []: everything, including global_step and hyper-parameters."},
    "exclude": {"type": "array", "items": {"type": "string", "minLength": 1}, "default": [],
                "description": "Do not load names that one of these matches, for example learning_rate or fc/.*"},
    "relaxed": {"type": "boolean", "default": false,
                "description": "Convert dtypes and reshape where possible; skip a variable with another number of elements, with a warning."}
  },
  "required": ["path"],
  "additionalProperties": false
})")
