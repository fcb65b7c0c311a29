// model_saver.cpp: saves a checkpoint on each trigger and removes old ones. tensorpack:
// `ModelSaver`.
//
// If the disk is full or the folder cannot be written, this checkpoint is lost, but the run
// continues.
#include <broch/broch.hpp>

namespace {

class ModelSaver final : public broch::Callback, public broch::Adjustable {
 public:
  explicit ModelSaver(const broch::Host& host)
      : host_(host), checkpoints_(host.require<broch_checkpoint>(BROCH_EXT_CHECKPOINT)) {
    const broch::Config config(host);
    if (config.has("/checkpoint_dir")) directory_ = config.string("/checkpoint_dir");
  }

  void setup_graph() override { options_changed(""); }
  void options_changed(const std::string&) override {
    const broch::Config config(host_);
    host_.check(checkpoints_->retain(host_.c(), directory(),
                                     uint32_t(config.integer("/max_to_keep")),
                                     config.number("/keep_checkpoint_every_n_hours")));
  }

  void trigger() override {
    const char* path = "";
    const broch_status status = checkpoints_->save(host_.c(), directory(), &path);
    if (status == BROCH_E_DATA_LOSS) return;  // the host has logged it and tries again at the end
    host_.check(status);
    host_.info(std::string("Model saved to ") + path + ".");
  }

 private:
  const char* directory() const { return directory_.empty() ? nullptr : directory_.c_str(); }

  broch::Host host_;
  const broch_checkpoint* checkpoints_;
  std::string directory_;
};

constexpr broch_component kComponents[] = {
    broch::component<ModelSaver>("broch.callback.model-saver", "callback")};

}  // namespace

BROCH_PLUGIN(kComponents, R"({"components": [{
  "id": "broch.callback.model-saver", "role": "callback", "version": "1.0.0",
  "summary": "Saves a checkpoint on each trigger and removes old ones.",
  "produces": [], "requires_ext": ["broch.checkpoint/1"],
  "options": {
    "type": "object",
    "properties": {
      "max_to_keep": {"type": "integer", "minimum": 0, "maximum": 2147483647, "default": 10,
                      "x-broch-mutable": true, "description": "Number of newest checkpoints to keep; 0: all."},
      "keep_checkpoint_every_n_hours": {"type": "number", "minimum": 0, "default": 0.5,
                      "x-broch-mutable": true, "x-broch-unit": "hours",
                      "description": "Also keep one checkpoint for ever per this number of hours; 0: none."},
      "checkpoint_dir": {"type": ["string", "null"], "default": null, "x-broch-path": true,
                         "description": "Folder for checkpoints; null: the log folder."}
    },
    "additionalProperties": false
  }}]})")
