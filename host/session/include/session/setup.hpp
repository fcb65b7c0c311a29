// setup.hpp: a manifest together with the plugins it can use: everything that is known without
// running a plugin's code.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "manifest/manifest.hpp"
#include "plugins/catalog.hpp"
#include "session/instances.hpp"
#include "session/shortening.hpp"

namespace broch::session {

struct SetupOptions {
  std::string manifest;  // path of the file; or, for one that stands in none …
  std::shared_ptr<const manifest::Source> source;  // … its text
  std::vector<std::string> overrides;              // "trainer.use=simple"
  std::vector<std::string> plugin_path;            // --plugin-path
  Shortening shortening{};
};

class Setup {
 public:
  // Reads the manifest, finds plugins, checks and resolves every component, gives a dataflow its
  // input source and device lists their place. Refuses what a run would refuse and what can be
  // known without a plugin's code. Throws base::Error.
  explicit Setup(const SetupOptions& options);

  const manifest::Manifest& manifest() const { return manifest_; }
  const plugins::Catalog& catalog() const { return *catalog_; }
  const Kinds& kinds() const { return *kinds_; }
  // The input source of the run: "data", or the adapter around "dataflow" that the trainer
  // names in its metadata, else the default one; tensorpack: `apply_default_prefetch`. NULL: the
  // manifest has neither.
  const manifest::Component* input() const { return input_ ? &*input_ : nullptr; }
  // Callbacks, then extra callbacks, in order of registration.
  std::vector<const manifest::Component*> callbacks() const;
  // What a run makes instances of, in order; optimizers and gradient processors are made by plans.
  std::vector<const manifest::Component*> components() const;
  const std::vector<std::string>& warnings() const { return warnings_; }
  // What was made shorter, for one line of the log; "": nothing.
  const std::string& shortened() const { return shortened_; }

 private:
  void place_towers();
  void wrap_dataflow();
  void stage_input();
  void check() const;
  void check_functions(const manifest::Component& component) const;

  manifest::Manifest manifest_;
  std::unique_ptr<plugins::Catalog> catalog_;
  std::unique_ptr<Kinds> kinds_;
  std::optional<manifest::Component> input_;
  std::vector<std::string> warnings_;
  std::string shortened_;
};

// A catalog of what is installed, and of further files.
std::unique_ptr<plugins::Catalog> open_catalog(const std::vector<std::string>& files,
                                               const std::vector<std::string>& plugin_path);

}  // namespace broch::session
