// text.hpp: text for messages: similar names, numbers, durations, quotes.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace broch::base {

// The candidate with the smallest edit distance from `word`, where swapping two neighboring
// letters counts one. "" if none is similar: the distance may be at most a third of the longer
// word, rounded up.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);
// ", did you mean 'x'?" or "".
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

std::string join(const std::vector<std::string>& parts, std::string_view separator);
// The text in single quotes, with control characters escaped, and cut with "…" after 80 bytes.
std::string quoted(std::string_view text);
// The sizes as Python writes a tuple: "(3, 4)", "(3,)", "()".
std::string shape_text(std::span<const int64_t> sizes);
// Two digits for each byte.
std::string hexadecimal(std::string_view bytes);
bool is_utf8(std::string_view text);
// Some UTF-8 text without control characters: what JSON, event files and terminals can show.
bool is_printable(std::string_view text);
// The text with U+FFFD in place of each byte that belongs to no character.
std::string to_utf8(std::string_view text);

// "1 second", "1 minute 1 second", "0.01 second", "0 second". The units are days to seconds, and
// the last one has 3 significant digits. Source: tensorpack utils/utils.py humanize_time_delta.
std::string humanize_seconds(double seconds);
// The shortest text that reads back as the same double ("0.1", "1e-05", "nan").
std::string shortest(double value);
// Like C's %.{digits}g, but independent of the locale.
std::string general(double value, int digits);

}  // namespace broch::base
