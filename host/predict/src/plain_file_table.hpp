// plain_file_table.hpp: plugins/plain_files.json, as text.
#pragma once

namespace broch::predict {

extern const char* const kPlainFileTable;

}  // namespace broch::predict
