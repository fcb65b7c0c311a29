// state_dict.hpp: tensors by name as torch.save writes them: a zip file with a pickle, of which
// only what describes tensors is understood.
#pragma once
#include "models/exported/archive.hpp"

namespace exported {

// The elements of a tensor inside the bytes of its storage. Throws broch::Error with the place.
Stored stored_of(const Layout& layout, std::string_view bytes, const std::string& storage,
                 const std::string& place);

// The tensors of a dict. Refuses every opcode and every function that a dict of plain tensors does
// not need, by name.
std::map<std::string, Stored> state_dict_of(std::string_view bytes, const std::string& place);

}  // namespace exported
