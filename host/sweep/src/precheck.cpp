// precheck.cpp: loads the manifest with overrides and values of parameters.
#include "precheck.hpp"

#include "base/error.hpp"
#include "base/sha256.hpp"
#include "devices.hpp"
#include "manifest/manifest.hpp"
#include "session/setup.hpp"
#include "value/fault.hpp"
#include "value/json.hpp"

namespace broch::sweep {
namespace {

constexpr size_t kMostChecks = 100;  // of values; each takes some 10 ms

using Words = std::vector<std::string>;

[[noreturn]] void fail_at(const base::Error& error, const value::Origin& origin,
                          const std::string& pointer) {
  throw base::Error(error.exit(), std::string(error.what()) + "\n  in the sweep: " + origin.text() +
                                      ": " + pointer + value::excerpt(origin));
}

Words plus(Words words, const std::string& word) {
  words.push_back(word);
  return words;
}

Words without_log_dir(const Spec& spec) {
  Words words = spec.overrides;
  for (const std::string& word : folder_overrides(spec.folder + "/check")) words.push_back(word);
  return words;
}

// Finds the first override that cannot be applied, and tells its place.
void check_overrides(const Spec& spec) {
  (void)manifest::load(spec.manifest);  // its own mistakes are nobody else's
  const Value::Array& written = spec.value.find("overrides")->array();
  Words words;
  for (size_t i = 0; i < spec.overrides.size(); ++i) {
    words.push_back(spec.overrides[i]);
    try {
      (void)manifest::load(spec.manifest, words);
    } catch (const base::Error& error) {
      fail_at(error, written[i].origin(), value::child_pointer("/overrides", i));
    }
  }
}

class Values {
 public:
  Values(const Spec& spec, const Words& plugin_path) : spec_(spec), plugin_path_(plugin_path) {}

  void check() {
    check_paths();
    if (spec_.method.kind == Method::Kind::command) return setup(without_log_dir(spec_));
    setup(with(0, spec_.parameters[0].samples()[0]));
    size_t checks = 0;
    for (size_t i = 0; i < spec_.parameters.size(); ++i)
      for (const Value& value : spec_.parameters[i].samples()) {
        if (++checks > kMostChecks) return;
        try {
          setup(with(i, value));
        } catch (const base::Error& error) {
          fail_at(error, spec_.parameters[i].origin, pointer(i));
        }
      }
  }

 private:
  std::string pointer(size_t i) const {
    return value::child_pointer("/parameters", spec_.parameters[i].path);
  }

  // One by one, so that the one that leads nowhere is found.
  void check_paths() const {
    for (size_t i = 0; i < spec_.parameters.size(); ++i) {
      const Parameter& parameter = spec_.parameters[i];
      try {
        (void)manifest::load(
            spec_.manifest,
            plus(spec_.overrides, override_of(parameter.path, parameter.samples()[0])));
      } catch (const base::Error& error) {
        fail_at(error, parameter.origin, pointer(i));
      }
    }
  }

  // The overrides of a trial in which only this parameter differs from its first value.
  Words with(size_t changed, const Value& value) const {
    Words words = without_log_dir(spec_);
    for (size_t i = 0; i < spec_.parameters.size(); ++i) {
      const Parameter& parameter = spec_.parameters[i];
      words.push_back(override_of(parameter.path, i == changed ? value : parameter.samples()[0]));
    }
    return words;
  }

  void setup(const Words& overrides) const {
    session::SetupOptions options;
    options.manifest = spec_.manifest;
    options.overrides = overrides;
    options.plugin_path = plugin_path_;
    (void)session::Setup(options);
  }

  const Spec& spec_;
  const Words& plugin_path_;
};

}  // namespace

std::string override_of(const std::string& path, const Value& value) {
  return path + "=" + value::to_text(value);
}

std::vector<std::string> folder_overrides(const std::string& log_dir) {
  // What a killed start has left without a checkpoint is no loss.
  return {"log_dir=" + log_dir, "log_dir_action=delete"};
}

Checked precheck(const Spec& spec, const std::vector<std::string>& plugin_path) {
  check_overrides(spec);
  Values(spec, plugin_path).check();
  for (const int64_t number : spec.devices) (void)visible_device(number);
  const manifest::Manifest manifest = manifest::load(spec.manifest, without_log_dir(spec));
  const std::string text = manifest.resolved_text();
  base::Sha256 sum;
  sum.add(text.data(), text.size());
  return {manifest.max_epoch, sum.finish()};
}

}  // namespace broch::sweep
