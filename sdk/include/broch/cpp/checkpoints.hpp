// checkpoints.hpp: saves and loads the state of a training.
#pragma once
#include <optional>
#include <string>
#include <utility>

#include "host.hpp"

namespace broch {
inline namespace v0 {

// The checkpoints of a directory; see ext/checkpoint.h. TensorFlow: `tf.train.Saver`.
class Checkpoints {
 public:
  // No directory: the log folder.
  explicit Checkpoints(const Host& host, std::optional<std::string> directory = std::nullopt)
      : host_(host),
        table_(host.require<broch_host_checkpoint>(BROCH_EXT_CHECKPOINT)),
        directory_(std::move(directory)) {}

  // In setup_graph: how many of the newest are kept (0: all), and that one of every so many hours
  // is never deleted (0: none).
  void retain(uint32_t max_to_keep, double keep_every_n_hours) const {
    host_.check(table_->retain(host_.c(), directory(), max_to_keep, keep_every_n_hours));
  }
  // In setup_graph or before_train: the first of every n steps is never deleted (0: none).
  void retain_steps(uint64_t n) const {
    if (!BROCH_HAS(broch_host_checkpoint, table_, retain_steps))
      throw Error(BROCH_E_UNIMPLEMENTED, "this host cannot keep checkpoints by steps");
    host_.check(table_->retain_steps(host_.c(), directory(), n));
  }
  // In setup_graph: the checkpoints of the directory, which must not be the log folder, contain
  // only variables with one of flags (BROCH_VARIABLE_TRAINABLE, BROCH_VARIABLE_MODEL).
  void select(uint32_t flags) const {
    if (!BROCH_HAS(broch_host_checkpoint, table_, select))
      throw Error(BROCH_E_UNIMPLEMENTED, "this host cannot save some variables alone");
    host_.check(table_->select(host_.c(), directory(), flags));
  }
  // Saves now. Returns the path. No value: an I/O error, which the host has logged; it tries again
  // when training ends.
  std::optional<std::string> save() const {
    const char* path = "";
    const broch_status status = table_->save(host_.c(), directory(), &path);
    if (status == BROCH_E_DATA_LOSS) return std::nullopt;
    host_.check(status);
    return path;
  }
  struct Newest {
    std::string path;
    int64_t global_step;
  };
  // No value: there is none. Throws Error with BROCH_E_DATA_LOSS if the last save failed.
  std::optional<Newest> latest() const {
    const char* path = "";
    int64_t step = 0;
    if (host_.check(table_->latest(host_.c(), directory(), &path, &step)) == BROCH_NONE)
      return std::nullopt;
    return Newest{path, step};
  }
  // Copies a checkpoint to another name in its directory. False: an I/O error, as in save.
  bool copy(const std::string& path, const std::string& name) const {
    const broch_status status = table_->copy(host_.c(), path.c_str(), name.c_str());
    if (status == BROCH_E_DATA_LOSS) return false;
    host_.check(status);
    return true;
  }
  // Loads variables from a checkpoint, a directory, or weights of another program. options: JSON,
  // see ext/checkpoint.h.
  void restore(const std::string& path, const std::string& options = "{}") const {
    host_.check(table_->restore(host_.c(), path.c_str(), options.c_str()));
  }

 private:
  const char* directory() const { return directory_ ? directory_->c_str() : nullptr; }

  Host host_;
  const broch_host_checkpoint* table_;
  std::optional<std::string> directory_;
};

}  // namespace v0
}  // namespace broch
