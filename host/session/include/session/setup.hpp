// setup.hpp: a manifest with the plugins that it can use: everything that is known without running
// code of a plugin.
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
  std::string manifest;                            // path of the file
  std::shared_ptr<const manifest::Source> source;  // replaces the file, unless nullptr
  std::vector<std::string> overrides;              // "trainer.use=simple"
  std::vector<std::string> plugin_path;            // --plugin-path
  Shortening shortening{};
  // Used as it is; NULL: a catalog of the manifest's plugins and plugin_path is opened.
  std::shared_ptr<const plugins::Catalog> catalog{};
};

class Setup {
 public:
  // Reads the manifest, finds plugins, checks and resolves every component, wraps a dataflow in an
  // input source, and moves the manifest's lists of devices to the trainer. Refuses whatever a run
  // would refuse, as far as it can be known without code of a plugin. Throws base::Error.
  explicit Setup(const SetupOptions& options);

  const manifest::Manifest& manifest() const { return manifest_; }
  const plugins::Catalog& catalog() const { return *catalog_; }
  const Kinds& kinds() const { return *kinds_; }
  // The input source of the run: "data", or the adapter around "dataflow" that the trainer
  // names in its metadata, else the default one; tensorpack: `apply_default_prefetch`. NULL: the
  // manifest has neither.
  const manifest::Component* input() const { return input_ ? &*input_ : nullptr; }
  // callbacks, then extra_callbacks, in order of registration.
  std::vector<const manifest::Component*> callbacks() const;
  // The components that a run creates first, in order. Optimizers and gradient processors are
  // created later, by plans.
  std::vector<const manifest::Component*> components() const;
  const std::vector<std::string>& warnings() const { return warnings_; }
  // One line for the log about what was shortened; "": nothing.
  const std::string& shortened() const { return shortened_; }

 private:
  void place_towers();
  void wrap_dataflow();
  void stage_input();
  void check() const;
  void check_functions(const manifest::Component& component) const;

  manifest::Manifest manifest_;
  std::shared_ptr<const plugins::Catalog> catalog_;
  std::unique_ptr<Kinds> kinds_;
  std::optional<manifest::Component> input_;
  std::vector<std::string> warnings_;
  std::string shortened_;
};

// A catalog of the installed plugins and of further files.
std::unique_ptr<plugins::Catalog> open_catalog(const std::vector<std::string>& files,
                                               const std::vector<std::string>& plugin_path);

}  // namespace broch::session
