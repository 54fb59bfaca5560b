#include "commands.hpp"
namespace trill::cli {
int figure(const FigureArguments&) { return 2; }
int report(const ReportArguments&) { return 2; }
int compare(const CompareArguments&) { return 2; }
int order(const OrderArguments&) { return 2; }
int stability(const StabilityArguments&) { return 2; }
int inspect(const InspectArguments&) { return 2; }
int cite(const CiteArguments&) { return 2; }
}  // namespace trill::cli
