// paths.hpp: lists of files: names, ranges such as train-{000..146}.tar, and patterns with *.
#pragma once
#include <string>
#include <vector>

namespace containers {

// The files that the patterns stand for, in the order of the patterns; those of one pattern with
// wildcards (*, ?, [ ]) are sorted by name, without kept indices. Ranges in braces, {a..b}, keep
// the leading zeros; lists are {a,b}. Throws Error if a pattern with wildcards matches nothing.
std::vector<std::string> expand_paths(const std::vector<std::string>& patterns);

}  // namespace containers
