// log.hpp: one way to say something. A log line is a sentence for a person; a number is a metric.
// stderr is talk, stdout is data. spdlog stays inside log.cpp, since LibTorch ships another fmt.
#pragma once
#include <string>
#include <string_view>

namespace broch::base {

enum class Level : int { debug = 0, info = 1, warning = 2, error = 3, misbehaviour = 4 };

// Writes one line to stderr and, when a log file is open, to it. Any thread.
void log(Level level, std::string_view message);

inline void debug(std::string_view message) { log(Level::debug, message); }
inline void info(std::string_view message) { log(Level::info, message); }
inline void warning(std::string_view message) { log(Level::warning, message); }
inline void error(std::string_view message) { log(Level::error, message); }

// Lowest level that reaches stderr; the file gets info and above, or debug if that is lower.
void set_log_level(Level level);
Level log_level();
// Colour on stderr; false also for NO_COLOR and when stderr is no terminal (the cli decides).
void set_log_colour(bool on);
// Opens the log file for appending, or closes it with an empty path. Throws Error (data).
void set_log_file(const std::string& path);

// Called around each line on stderr, so that a progress bar can step aside. May be empty.
void set_log_interlude(void (*before)(), void (*after)());

}  // namespace broch::base
