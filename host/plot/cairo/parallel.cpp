// parallel.cpp: draws parallel coordinates.
#include "plot/parallel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "panel.hpp"
#include "sheet.hpp"
#include "ticks.hpp"

namespace broch::plot {
namespace {

constexpr double kSpacing = 190, kHeight = 360;  // of axes
constexpr double kLeft = 80, kRight = 100;       // beside the first and the last axis
constexpr double kNames = 34, kBelow = 24;       // above and below the axes
constexpr double kNameSize = 15, kTextSize = 12.5;
constexpr double kBar = 14;  // width of the scale of colors
constexpr int kBarParts = 90;
constexpr double kOpacity = 0.75;
constexpr double kManyPowers = 100;  // from which on a logarithmic axis is used, as in a panel

// From good to bad: dark blue, green, pale yellow. Its lightness rises evenly, so that it can be
// read with any color vision and in gray.
Color color_at(double part) {
  constexpr Color kStops[] = {{0.05, 0.16, 0.42}, {0.10, 0.52, 0.56}, {0.93, 0.83, 0.42}};
  const double at = std::clamp(part, 0.0, 1.0) * 2;
  const Color &from = kStops[at < 1 ? 0 : 1], &to = kStops[at < 1 ? 1 : 2];
  const double share = at < 1 ? at : at - 1;
  const auto mix = [share](double a, double b) { return a + share * (b - a); };
  return {mix(from.red, to.red), mix(from.green, to.green), mix(from.blue, to.blue)};
}

class ParallelDrawing {
 public:
  explicit ParallelDrawing(const ParallelPicture& picture) : picture_(picture) {
    for (size_t i = 0; i < picture.axes.size(); ++i) scales_.push_back(scale_of(i));
  }

  Size size() const {
    const double wide = kLeft + double(picture_.axes.size() - 1) * kSpacing + kRight;
    return {2 * kMargin + std::max(wide, 480.0), top() + kHeight + kBelow + kMargin};
  }

  void draw(cairo_t* cairo) {
    cairo_ = cairo;
    draw_heading(cairo, picture_.title, size().width);
    for (const ParallelLine& line : picture_.lines) polyline(line);
    color_bar();
    for (size_t i = 0; i < picture_.axes.size(); ++i) axis(i);
  }

 private:
  static double top() { return kMargin + kHeader + kNames; }
  double x_of(size_t axis) const { return kMargin + kLeft + double(axis) * kSpacing; }
  double y_of(size_t axis, double value) const {
    return top() + (1 - place(axis, value)) * kHeight;
  }

  // From 0, the lower end of an axis, to 1.
  double place(size_t axis, double value) const {
    const size_t words = picture_.axes[axis].words.size();
    if (words == 1) return 0.5;
    return words ? value / double(words - 1) : scales_[axis].place(value);
  }

  Axis scale_of(size_t index) const {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const ParallelLine& line : picture_.lines) {
      const double value = line.values[index];
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
    if (low > high) return {};
    const bool many = low > 0 && high / low >= kManyPowers;
    return picture_.axes[index].logarithmic || many ? power_axis(low, high, 8)
                                                    : round_axis(low, high, 8);
  }

  Color color_of(double value) const {
    const double part = place(picture_.axes.size() - 1, value);
    return color_at(picture_.low_is_good ? part : 1 - part);
  }

  void polyline(const ParallelLine& line) {
    const Color color = color_of(line.values.back());
    constexpr double kDashes[] = {6, 4};
    cairo_set_source_rgba(cairo_, color.red, color.green, color.blue, kOpacity);
    cairo_set_dash(cairo_, kDashes, line.dashed ? 2 : 0, 0);
    cairo_set_line_width(cairo_, 2);
    cairo_set_line_join(cairo_, CAIRO_LINE_JOIN_ROUND);
    bool drawing = false;
    for (size_t i = 0; i < line.values.size(); ++i) {
      const bool finite = std::isfinite(line.values[i]);
      if (finite && drawing)
        cairo_line_to(cairo_, x_of(i), y_of(i, line.values[i]));
      else if (finite)
        cairo_move_to(cairo_, x_of(i), y_of(i, line.values[i]));
      drawing = finite;
    }
    cairo_stroke(cairo_);
    cairo_set_dash(cairo_, nullptr, 0, 0);
  }

  // Right of the last axis: which color a value has.
  void color_bar() {
    const double x = x_of(picture_.axes.size() - 1);
    for (int i = 0; i < kBarParts; ++i) {
      const double part = (i + 0.5) / kBarParts;
      set_color(cairo_, color_at(picture_.low_is_good ? part : 1 - part));
      // A little higher than its share, so that no gap shines through.
      cairo_rectangle(cairo_, x, top() + (1 - double(i + 1) / kBarParts) * kHeight, kBar,
                      kHeight / kBarParts + (i > 0 ? 0.5 : 0));
      cairo_fill(cairo_);
    }
  }

  void axis(size_t index) {
    const ParallelAxis& axis = picture_.axes[index];
    const bool is_last = index + 1 == picture_.axes.size();
    set_color(cairo_, kInk);
    cairo_set_line_width(cairo_, 1.4);
    cairo_move_to(cairo_, x_of(index), top());
    cairo_line_to(cairo_, x_of(index), top() + kHeight);
    cairo_stroke(cairo_);
    name(index, axis.name + (scales_[index].logarithmic && axis.words.empty() ? " (log)" : ""));
    cairo_select_font_face(cairo_, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo_, kTextSize);
    if (axis.words.empty())
      for (const double tick : scales_[index].ticks())
        label(index, tick, scales_[index].label(tick), is_last);
    for (size_t i = 0; i < axis.words.size(); ++i) label(index, double(i), axis.words[i], is_last);
  }

  void name(size_t index, const std::string& text) {
    cairo_select_font_face(cairo_, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_BOLD);
    cairo_set_font_size(cairo_, kNameSize);
    set_color(cairo_, kInk);
    const std::string shown = fitted(cairo_, text, kSpacing - 14);
    cairo_move_to(cairo_, x_of(index) - width_of(shown) / 2, top() - kNames / 2);
    cairo_show_text(cairo_, shown.c_str());
  }

  // Left of the axis, on a white ground, since lines may cross it; right of the last one.
  void label(size_t index, double value, const std::string& text, bool right) {
    constexpr double kTick = 5, kGap = 4;
    const std::string shown = fitted(cairo_, text, kSpacing / 2);
    const double y = y_of(index, value), width = width_of(shown);
    const double x = x_of(index) + (right ? kBar + kGap : -kTick - kGap - width);
    cairo_set_source_rgba(cairo_, 1, 1, 1, 0.8);
    cairo_rectangle(cairo_, x - 2, y - kTextSize / 2 - 2, width + 4, kTextSize + 4);
    cairo_fill(cairo_);
    set_color(cairo_, kInk);
    cairo_set_line_width(cairo_, 1.2);
    cairo_move_to(cairo_, x_of(index) - (right ? 0 : kTick), y);
    cairo_line_to(cairo_, x_of(index) + (right ? kBar : 0), y);
    cairo_stroke(cairo_);
    set_color(cairo_, kPaleInk);
    cairo_move_to(cairo_, x, y + kTextSize / 3);
    cairo_show_text(cairo_, shown.c_str());
  }

  double width_of(const std::string& text) const {
    cairo_text_extents_t extents;
    cairo_text_extents(cairo_, text.c_str(), &extents);
    return extents.x_advance;
  }

  const ParallelPicture& picture_;
  std::vector<Axis> scales_;
  cairo_t* cairo_ = nullptr;
};

}  // namespace
}  // namespace broch::plot

extern "C" __attribute__((visibility("default"))) bool broch_plot_draw_parallel(
    const broch::plot::ParallelPicture& picture, broch::plot::Format format, std::string& bytes,
    std::string& error) {
  using namespace broch::plot;
  return guarded(
      [&] {
        ParallelDrawing drawing(picture);
        return draw_sheet(drawing.size(), format, picture.title,
                          [&](cairo_t* cairo) { drawing.draw(cairo); });
      },
      bytes, error);
}
