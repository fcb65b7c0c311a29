// schema_document.hpp: one JSON Schema (draft 7) of a manifest and of every installed component, so
// that an editor completes and checks options, those of third parties too.
//
// Options stay as their components wrote them, but for what plain draft 7 would understand in
// another way: closed objects say so, x- notes are allowed, and a string with ${…} may stand for
// any value. An entry's "with" depends on its "use" by if and then, so that a fault is told once
// and at its place. Where "extends" may bring the rest, an entry need not have a "use"; options
// that a component requires are asked for wherever its name stands. Keywords that begin with
// x-broch stay in; validators pass over them.
#pragma once
#include <string>
#include <vector>

#include "manifest/component.hpp"
#include "manifest/value.hpp"

namespace broch::manifest {

struct SchemaDocument {
  Value document;
  std::vector<std::string> left_out;  // why components are not in it
};

SchemaDocument schema_document(const Catalog& catalog);

}  // namespace broch::manifest
