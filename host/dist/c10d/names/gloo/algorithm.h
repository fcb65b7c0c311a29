// Declares the few names of Gloo that ProcessGroupGloo.hpp needs, since LibTorch does not ship
// Gloo's headers. ProcessGroupGloo.hpp only passes pointers to what this file and the files beside
// it declare, so declarations are enough: only LibTorch makes and uses such objects.
#pragma once
