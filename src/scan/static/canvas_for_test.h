// A file's text as the text rules read it, for tests.
#pragma once

#include <vector>

#include "interlock/core/package.h"
#include "static/classify.h"
#include "static/surface.h"

namespace interlock::scan {

inline TextCanvas CanvasOf(const core::PackageFile& file) {
  FileContext context;
  context.file = &file;
  context.claimed = TypeOfName(file.path);
  context.type = TypeOfContent(file.bytes, context.claimed);
  context.reach = core::Reach::kAgent;
  std::vector<TextSurface> surfaces;
  CollectSurfaces(context, surfaces);
  return BuildCanvas(context, surfaces);
}

}  // namespace interlock::scan
