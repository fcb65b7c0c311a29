// dataset_table.hpp: plugins/dataflows/datasets/catalog.json, which is part of the program.
#pragma once

namespace broch::data {

extern const char* const kDatasetTable;

}  // namespace broch::data
