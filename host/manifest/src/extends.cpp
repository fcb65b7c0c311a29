// extends.cpp: follows "extends" depth first.
#include "extends.hpp"

#include <algorithm>
#include <filesystem>

#include "base/text.hpp"
#include "manifest/merge.hpp"
#include "template.hpp"
#include "top_level.hpp"
#include "value/fault.hpp"

namespace broch::manifest {
namespace {

namespace fs = std::filesystem;
using Kind = Value::Kind;

constexpr size_t kDeepest = 8;
constexpr size_t kMostFiles = 64;  // a file that is reached twice counts twice

std::string identity_of(const fs::path& path) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(path, error);
  return error ? path.lexically_normal().string() : whole.string();
}

class Composer {
 public:
  explicit Composer(const ReadSource& read) : read_(read) {}

  Value file(const std::shared_ptr<const Source>& source, const std::string& identity) {
    chain_.push_back({identity, source->name});
    Value value = parse(source, {.limits = limits_of(source->name)});
    require_format(value);
    Value lower = extended_by(value);
    value.remove("extends");
    chain_.pop_back();
    return lower.is_null() ? value : merged(std::move(lower), std::move(value));
  }

  std::vector<std::shared_ptr<const Source>> take_sources() { return std::move(sources_); }

 private:
  struct Link {
    std::string identity, name;
  };

  [[noreturn]] static void fail(const Value& value, const std::string& pointer,
                                const Remark& remark) {
    throw fault_at(value.origin(), pointer, remark);
  }

  // For example "run.json -> base.json -> run.json".
  std::string chain_to(const std::string& name) const {
    std::string text;
    for (const Link& link : chain_) text += link.name + " -> ";
    return text + name;
  }

  // Returns what the manifest extends, merged, or null.
  Value extended_by(const Value& manifest) {
    const Value* extends = manifest.find("extends");
    if (extends == nullptr) return Value();
    const bool is_list = extends->is(Kind::array);
    const Value::Array paths = is_list ? extends->array() : Value::Array{*extends};
    Value lower;
    for (size_t i = 0; i < paths.size(); ++i) {
      Value next = follow(paths[i], is_list ? child_pointer("/extends", i) : "/extends");
      next.remove("$schema");  // only for editors of that file
      lower = lower.is_null() ? std::move(next) : merged(std::move(lower), std::move(next));
    }
    return lower;
  }

  Value follow(const Value& text, const std::string& pointer) {
    if (!text.is(Kind::string) || text.string().empty()) {
      fail(text, pointer,
           {in_words(text), "the path of a manifest, or a list of them",
            "paths are relative to the file that they stand in"});
    }
    if (is_template(text.string())) {
      fail(text, pointer,
           {base::quoted(text.string()), "a path as it is",
            "files are read before anything is substituted"});
    }
    const Source& from = *text.origin().source;
    const std::string path = (fs::path(from.folder) / text.string()).lexically_normal().string();
    const std::string name =
        (fs::path(from.name).parent_path() / text.string()).lexically_normal().string();
    const std::string identity = identity_of(path);
    require_end(text, pointer, name, identity);
    return file(named(open(text, pointer, name, path), name), identity);
  }

  void require_end(const Value& text, const std::string& pointer, const std::string& name,
                   const std::string& identity) {
    const auto is_same = [&identity](const Link& link) { return link.identity == identity; };
    if (std::any_of(chain_.begin(), chain_.end(), is_same)) {
      fail(text, pointer,
           {"a circle: " + chain_to(name), "files that do not extend themselves",
            "remove one of these \"extends\""});
    }
    if (chain_.size() > kDeepest) {
      fail(text, pointer,
           {"more than " + std::to_string(kDeepest) + " levels: " + chain_to(name),
            "at most " + std::to_string(kDeepest), "extend fewer files"});
    }
    if (++readings_ > kMostFiles) {
      fail(text, pointer,
           {"more than " + std::to_string(kMostFiles) + " files: " + chain_to(name),
            "at most " + std::to_string(kMostFiles), "extend fewer files"});
    }
  }

  std::shared_ptr<const Source> open(const Value& text, const std::string& pointer,
                                     const std::string& name, const std::string& path) const {
    try {
      return read_(path);
    } catch (const base::Error& error) {
      throw base::Error(error.exit(), text.origin().text() + ": " + pointer + " (" +
                                          chain_to(name) + "): " + error.what());
    }
  }

  // Names the source relative to the folder of the first file, so that users can find it.
  std::shared_ptr<const Source> named(const std::shared_ptr<const Source>& source,
                                      const std::string& name) {
    Source renamed = *source;
    renamed.name = name;
    const auto is_same = [&](const auto& known) {
      return known->name == name && known->folder == renamed.folder;
    };
    const auto known = std::find_if(sources_.begin(), sources_.end(), is_same);
    if (known != sources_.end()) return *known;
    sources_.push_back(std::make_shared<const Source>(std::move(renamed)));
    return sources_.back();
  }

  const ReadSource& read_;
  std::vector<Link> chain_;  // from the first file to the current one
  std::vector<std::shared_ptr<const Source>> sources_;
  size_t readings_ = 0;
};

}  // namespace

Limits limits_of(const std::string& path) {
  Limits limits;
  if (fs::path(path).filename() != "manifest.resolved.json") return limits;
  limits.text_bytes = size_t{1} << 28;
  limits.nodes = 10'000'000;
  return limits;
}

Composed compose(const std::shared_ptr<const Source>& source, const ReadSource& read) {
  Composer composer(read);
  const fs::path path = fs::path(source->folder) / fs::path(source->name).filename();
  Composed composed{composer.file(source, identity_of(path)), {}};
  composed.extended = composer.take_sources();
  return composed;
}

}  // namespace broch::manifest
