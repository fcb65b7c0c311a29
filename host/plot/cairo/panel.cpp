// panel.cpp: draws one panel, from top to bottom.
#include "panel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/utf8.hpp"
#include "ticks.hpp"

namespace broch::plot {
namespace {

// Colors that can be distinguished with any color vision (Okabe and Ito, "Color Universal
// Design").
constexpr Color kColors[] = {{0.00, 0.45, 0.70}, {0.84, 0.37, 0.00}, {0.00, 0.62, 0.45},
                             {0.80, 0.47, 0.65}, {0.90, 0.62, 0.00}, {0.34, 0.71, 0.91}};
constexpr Color kGrid{0.90, 0.91, 0.92};
constexpr double kTitleSize = 17, kTextSize = 13.5, kRow = 22;
constexpr double kLeft = 66, kRight = 18, kBottom = 52;
constexpr double kAreaHeight = 270;  // height of the axes in a panel of normal height
constexpr double kSwatch = 30, kGap = 8, kEntryGap = 20;
constexpr double kMarkersUpTo = 60;  // points per curve; more markers would merge
// A logarithmic axis is used if the largest number is this many times the smallest.
constexpr double kManyPowers = 100;
// Zero is on the axis if the smallest number is at most this part of the largest.
constexpr double kNearZero = 0.5;

const Color& color_of(const Series& series) { return kColors[series.color % std::size(kColors)]; }

void set_dash(cairo_t* cairo, size_t number) {
  constexpr double kDashes[][4] = {{8, 4, 8, 4}, {2, 3, 2, 3}, {9, 3, 2, 3}};
  if (number == 0) return cairo_set_dash(cairo, nullptr, 0, 0);
  cairo_set_dash(cairo, kDashes[(number - 1) % std::size(kDashes)], 4, 0);
}

double text_width(cairo_t* cairo, const std::string& text) {
  cairo_text_extents_t extents;
  cairo_text_extents(cairo, text.c_str(), &extents);
  return extents.x_advance;
}

// align: 0 puts the start of the text at x, 0.5 its center, 1 its end.
void text_at(cairo_t* cairo, const std::string& text, double x, double y, double align = 0) {
  cairo_move_to(cairo, x - align * text_width(cairo, text), y);
  cairo_show_text(cairo, text.c_str());
}

void set_text_font(cairo_t* cairo) {
  cairo_select_font_face(cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(cairo, kTextSize);
}

// An entry of the legend. The entries are in rows above the axes, where no curve can cross them.
struct Entry {
  const Series* series;
  std::string name;
  double x;    // distance from the left end of the axes
  size_t row;  // counted from 0
};

std::vector<Entry> arrange_legend(cairo_t* cairo, const Panel& panel, double width) {
  std::vector<Entry> entries;
  set_text_font(cairo);
  double x = 0;
  size_t row = 0;
  for (const Series& series : panel.series) {
    const std::string name = fitted(cairo, series.name, width - kSwatch - kGap);
    const double wide = kSwatch + kGap + text_width(cairo, name);
    if (x > 0 && x + wide > width) x = 0, ++row;
    entries.push_back({&series, name, x, row});
    x += wide + kEntryGap;
  }
  return entries;
}

double height_of(const std::vector<Entry>& legend) {
  return legend.empty() ? 0 : double(legend.back().row + 1) * kRow;
}

class PanelDrawing {
 public:
  PanelDrawing(cairo_t* cairo, const Panel& panel, const Picture& picture, const Box& box)
      : cairo_(cairo), panel_(panel), picture_(picture), box_(box) {}

  void draw() {
    measure();
    title();
    const double top = legend(box_.y + kTitleSize + kRow);
    area_ = {box_.x + kLeft, top, box_.width - kLeft - kRight,
             box_.y + box_.height - kBottom - top};
    set_text_font(cairo_);
    if (any_) grid();
    frame();
    for (const Series& series : panel_.series) curve(series);
  }

 private:
  void title() {
    cairo_select_font_face(cairo_, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_BOLD);
    cairo_set_font_size(cairo_, kTitleSize);
    set_color(cairo_, kInk);
    const std::string text = panel_.title + (y_.logarithmic ? " (log scale)" : "");
    text_at(cairo_, fitted(cairo_, text, box_.width - kLeft - kRight), box_.x + kLeft,
            box_.y + kTitleSize);
  }

  // Returns the y coordinate below the legend.
  double legend(double y) {
    const std::vector<Entry> entries = arrange_legend(cairo_, panel_, box_.width - kLeft - kRight);
    for (const Entry& entry : entries) {
      const double x = box_.x + kLeft + entry.x, line_y = y + double(entry.row) * kRow;
      set_color(cairo_, color_of(*entry.series));
      set_dash(cairo_, entry.series->dash);
      cairo_set_line_width(cairo_, 2);
      line(x, line_y - kTextSize / 3, x + kSwatch, line_y - kTextSize / 3);
      set_dash(cairo_, 0);
      if (has_markers(*entry.series)) marker(x + kSwatch / 2, line_y - kTextSize / 3, 3);
      set_color(cairo_, kInk);
      text_at(cairo_, entry.name, x + kSwatch + kGap, line_y);
    }
    return y + height_of(entries) - kRow / 2;
  }

  void measure() {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    double left = kInfinity, right = -kInfinity, low = kInfinity, high = -kInfinity;
    for (const Series& series : panel_.series)
      for (size_t i = 0; i < series.x.size(); ++i) {
        left = std::min(left, series.x[i]);
        right = std::max(right, series.x[i]);
        if (!std::isfinite(series.y[i])) continue;
        low = std::min(low, series.y[i]);
        high = std::max(high, series.y[i]);
      }
    any_ = low <= high;
    if (!any_) return;
    x_ = picture_.x_logarithmic ? power_axis(left, right, 8) : whole_axis(left, right, 8);
    if (low > 0 && high / low >= kManyPowers) {
      y_ = power_axis(low, high, 6);
      return;
    }
    if (low > 0 && low <= kNearZero * high) low = 0;
    if (high < 0 && high >= kNearZero * low) high = 0;
    y_ = round_axis(low, high, 6);
  }

  double place_x(double x) const { return area_.x + x_.place(x) * area_.width; }
  double place_y(double y) const { return area_.y + (1 - y_.place(y)) * area_.height; }

  void line(double x0, double y0, double x1, double y1) {
    cairo_move_to(cairo_, x0, y0);
    cairo_line_to(cairo_, x1, y1);
    cairo_stroke(cairo_);
  }

  void grid() {
    cairo_set_line_width(cairo_, 1);
    for (const double tick : y_.ticks()) {
      set_color(cairo_, kGrid);
      line(area_.x, place_y(tick), area_.x + area_.width, place_y(tick));
      set_color(cairo_, kPaleInk);
      text_at(cairo_, y_.label(tick), area_.x - 9, place_y(tick) + kTextSize / 3, 1);
    }
    for (const double tick : x_.ticks()) {
      set_color(cairo_, kGrid);
      line(place_x(tick), area_.y, place_x(tick), area_.y + area_.height);
      set_color(cairo_, kPaleInk);
      text_at(cairo_, x_.label(tick), place_x(tick), area_.y + area_.height + 20, 0.5);
    }
  }

  void frame() {
    set_color(cairo_, kPaleInk);
    cairo_set_line_width(cairo_, 1.2);
    line(area_.x, area_.y, area_.x, area_.y + area_.height);
    line(area_.x, area_.y + area_.height, area_.x + area_.width, area_.y + area_.height);
    text_at(cairo_, picture_.x_label, area_.x + area_.width / 2, area_.y + area_.height + 42, 0.5);
    if (!any_)
      text_at(cairo_, "no values", area_.x + area_.width / 2, area_.y + area_.height / 2, 0.5);
  }

  void marker(double x, double y, double radius) {
    cairo_new_sub_path(cairo_);
    cairo_arc(cairo_, x, y, radius, 0, 2 * std::acos(-1.0));
    cairo_fill(cairo_);
  }

  static bool has_markers(const Series& series) { return series.x.size() <= kMarkersUpTo; }

  // Whether the point lies between two gaps, so that no line reaches it.
  static bool is_alone(const Series& series, size_t i) {
    const auto is_gap = [&series](size_t at) {
      return at >= series.y.size() || !std::isfinite(series.y[at]);
    };
    return (i == 0 || is_gap(i - 1)) && is_gap(i + 1);
  }

  void curve(const Series& series) {
    set_color(cairo_, color_of(series));
    set_dash(cairo_, series.dash);
    cairo_set_line_width(cairo_, 2);
    cairo_set_line_join(cairo_, CAIRO_LINE_JOIN_ROUND);
    bool drawing = false;
    for (size_t i = 0; i < series.x.size(); ++i) {
      const bool finite = std::isfinite(series.y[i]);
      if (finite && drawing)
        cairo_line_to(cairo_, place_x(series.x[i]), place_y(series.y[i]));
      else if (finite)
        cairo_move_to(cairo_, place_x(series.x[i]), place_y(series.y[i]));
      drawing = finite;
    }
    cairo_stroke(cairo_);
    set_dash(cairo_, 0);
    const double radius = series.x.size() == 1 ? 5 : 2.6;
    for (size_t i = 0; i < series.x.size(); ++i)
      if (std::isfinite(series.y[i]) && (has_markers(series) || is_alone(series, i)))
        marker(place_x(series.x[i]), place_y(series.y[i]), radius);
  }

  cairo_t* cairo_;
  const Panel& panel_;
  const Picture& picture_;
  Box box_, area_{};
  Axis x_, y_;
  bool any_ = false;
};

}  // namespace

void set_color(cairo_t* cairo, const Color& color) {
  cairo_set_source_rgb(cairo, color.red, color.green, color.blue);
}

std::string fitted(cairo_t* cairo, const std::string& text, double width) {
  if (text_width(cairo, text) <= width) return text;
  const size_t count = base::characters_in(text);
  std::string cut = "…";
  for (size_t kept = 2; kept < count; ++kept) {
    const size_t left = base::index_of_character(text, kept / 2),
                 right = base::index_of_character(text, count - (kept - kept / 2));
    const std::string wider = text.substr(0, left) + "…" + text.substr(right);
    if (text_width(cairo, wider) > width) break;
    cut = wider;
  }
  return cut;
}

double panel_height(cairo_t* cairo, const Panel& panel, double width) {
  const double legend = height_of(arrange_legend(cairo, panel, width - kLeft - kRight));
  return kTitleSize + kRow / 2 + legend + kAreaHeight + kBottom;
}

void draw_panel(cairo_t* cairo, const Panel& panel, const Picture& picture, const Box& box) {
  PanelDrawing(cairo, panel, picture, box).draw();
}

}  // namespace broch::plot
