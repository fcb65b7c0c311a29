// components.cpp: transforms of components whose content does not matter: which ones there are,
// their dtypes, shapes and values, and which points are kept.
#include "components/cast.hpp"
#include "components/constant.hpp"
#include "components/filter.hpp"
#include "components/flatten.hpp"
#include "components/label_smoothing.hpp"
#include "components/normalize.hpp"
#include "components/one_hot.hpp"
#include "components/pad.hpp"
#include "components/rename.hpp"
#include "components/reshape.hpp"
#include "components/select.hpp"
#include "components/stack.hpp"
#include "components/transpose.hpp"

namespace {

using namespace broch::transforms;

template <class T, class Options>
constexpr auto transform(const char* id, const char* summary, const Options& options) {
  return broch::component<T>(id, "transform", "1.0.0", summary, options);
}

}  // namespace

BROCH_COMPONENTS(
    transform<Select>("broch.transform.select",
                      "Keeps some components, in another order or under other names.",
                      SelectOptions::schema),
    transform<Rename>("broch.transform.rename", "Gives a new name to each component.",
                      RenameOptions::schema),
    transform<Cast>("broch.transform.cast", "Converts components to another dtype.",
                    CastOptions::schema),
    transform<Reshape>("broch.transform.reshape", "Gives components another shape.",
                       ReshapeOptions::schema),
    transform<Transpose>("broch.transform.transpose",
                         "Changes the order of the dimensions of components.",
                         TransposeOptions::schema),
    transform<OneHot>("broch.transform.one-hot", "Turns class numbers into vectors.",
                      OneHotOptions::schema),
    transform<LabelSmoothing>(
        "broch.transform.label-smoothing",
        "Label smoothing: distributes a part of the probability evenly among all classes.",
        LabelSmoothingOptions::schema),
    transform<Constant>("broch.transform.constant", "Adds a component with a constant value.",
                        ConstantOptions::schema),
    transform<Normalize>("broch.transform.normalize",
                         "Subtracts the mean and divides by the standard deviation.",
                         NormalizeOptions::schema),
    transform<Pad>("broch.transform.pad", "Pads components with a constant value.",
                   PadOptions::schema),
    transform<Stack>("broch.transform.stack",
                     "Joins components of the same shape along a new dimension.",
                     StackOptions::schema),
    transform<Filter>("broch.transform.filter",
                      "Keeps or drops points by the value of a component, or by its size.",
                      FilterOptions::schema),
    transform<Flatten>("broch.transform.flatten", "Yields one point for each row of a component.",
                       FlattenOptions::schema))
