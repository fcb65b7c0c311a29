// schema_document.hpp: one JSON Schema (draft 7) for a manifest and all installed components, so
// that editors can complete and check options, also those of third parties.
//
// Options stay as their components wrote them, except where plain draft 7 would read them
// differently: closed objects are marked as such, x- notes are allowed, and a string with ${…} may
// replace any value. An entry's "with" depends on its "use" by if and then, so that a mistake is
// reported once and at its place. In a file that extends others an entry need not have a "use";
// the options that a component requires are still required where it is named. Keywords that begin
// with x-broch remain; validators ignore them.
#pragma once
#include <string>
#include <vector>

#include "manifest/component.hpp"
#include "manifest/names.hpp"
#include "value/value.hpp"

namespace broch::manifest {

struct SchemaDocument {
  Value document;
  std::vector<std::string> left_out;  // for each omitted component, why
};

SchemaDocument schema_document(const Catalog& catalog);

}  // namespace broch::manifest
