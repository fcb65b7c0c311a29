// log.hpp: the log, for messages to people. Numbers are metrics and go to monitors instead. The log
// is written to stderr; stdout is for data. Only log.cpp includes spdlog, since LibTorch contains
// another version of fmt.
#pragma once
#include <string>
#include <string_view>

namespace broch::base {

enum class Level : int { debug = 0, info = 1, warning = 2, error = 3, misbehavior = 4 };

// Writes one line to stderr, and to the log file if one is open. [any]
void log(Level level, std::string_view message);

inline void debug(std::string_view message) { log(Level::debug, message); }
inline void info(std::string_view message) { log(Level::info, message); }
inline void warning(std::string_view message) { log(Level::warning, message); }
inline void error(std::string_view message) { log(Level::error, message); }

// Writes a line of level info to the log file alone, if one is open. [any]
void note(std::string_view message);

// Sets the lowest level that is written to stderr. The file gets `info` and above, and also `debug`
// if that is the lowest level.
void set_log_level(Level level);
Level log_level();
// Whether lines on stderr are colored. The room cli decides; it also honors NO_COLOR and checks
// whether stderr is a terminal.
void set_log_color(bool on);
// Opens the log file for appending. An empty path closes it. Throws Error (data).
void set_log_file(const std::string& path);

// Sets functions that are called before and after each line on stderr, so that a progress bar can
// be hidden and shown again. They can be null.
void set_log_interlude(void (*before)(), void (*after)());

}  // namespace broch::base
