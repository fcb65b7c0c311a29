// restore.cpp: loads variables from a checkpoint before training. tensorpack: `SaverRestore`,
// `SaverRestoreRelaxed`.
#include <broch/broch.hpp>

namespace {

class Restore final : public broch::SessionInit {
 public:
  explicit Restore(const broch::Host& host)
      : host_(host),
        checkpoints_(host.require<broch_checkpoint>(BROCH_EXT_CHECKPOINT)),
        path_(broch::Config(host).string("/path")),
        options_(broch::Config(host).text()) {}

  void init() override {
    host_.check(checkpoints_->restore(host_.c(), path_.c_str(), options_.c_str()));
  }

 private:
  broch::Host host_;
  const broch_checkpoint* checkpoints_;
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
               "description": "Variable prefix/x takes x from the file."},
    "ignore": {"type": "array", "items": {"type": "string"}, "default": [],
               "description": "Names not loaded although they are there."},
    "include": {"type": "array", "items": {"type": "string", "minLength": 1}, "default": [],
                "description": "Only what one of these regular expressions matches, as a whole name in the file; []: everything, global_step and hyper-parameters too."},
    "exclude": {"type": "array", "items": {"type": "string", "minLength": 1}, "default": [],
                "description": "Not what one of these matches: learning_rate, or fc/.*"},
    "relaxed": {"type": "boolean", "default": false,
                "description": "Cast and reshape where that loses nothing, skip with a warning where it does."}
  },
  "required": ["path"],
  "additionalProperties": false
})")
