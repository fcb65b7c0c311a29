// text.hpp: words for people: nearest names, numbers, durations, quoting.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace broch::base {

// The candidate with the smallest edit distance (with transpositions), or "" when none is close:
// the distance must be at most a third of the longer word, rounded up.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);
// ", did you mean 'x'?" or "".
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

std::string join(const std::vector<std::string>& parts, std::string_view separator);
// Printable form in single quotes, control characters escaped, cut with "…" after 80 bytes.
std::string quoted(std::string_view text);
bool is_utf8(std::string_view text);

// "1 second", "1 minute 1 second", "0.01 second", "0 second"; days to seconds, 3 significant
// digits in the last unit. Source: tensorpack utils/utils.py humanize_time_delta.
std::string humanize_seconds(double seconds);
// Shortest text that reads back as the same double ("0.1", "1e-05", "nan").
std::string shortest(double value);
// Like C's %.{digits}g, whatever the locale.
std::string general(double value, int digits);

}  // namespace broch::base
