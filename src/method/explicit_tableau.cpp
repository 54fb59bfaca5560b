// SPDX-License-Identifier: BSD-3-Clause
#include "method/explicit_tableau.hpp"

#include <array>
#include <cassert>
#include <cmath>
#include <cstddef>

namespace trill {
namespace {

struct Entry {
  int row;
  int column;
  double value;
};

template <std::size_t Rows, std::size_t Columns, std::size_t Count>
constexpr std::array<double, Rows * Columns> table(const Entry (&entries)[Count]) {
  std::array<double, Rows * Columns> result{};
  for (const Entry& e : entries) result[static_cast<std::size_t>(e.row) * Columns + e.column] = e.value;
  return result;
}

// Square matrix of all stages, with row Row (the stage at y1) equal to b.
template <std::size_t All, std::size_t Row, std::size_t Count, std::size_t Stages>
constexpr std::array<double, All * All> stage_matrix(const Entry (&entries)[Count],
                                                     const std::array<double, Stages>& b) {
  auto result = table<All, All>(entries);
  for (std::size_t j = 0; j < Row && j < Stages; ++j) result[Row * All + j] = b[j];
  return result;
}

// Weights of the continuous extension. The first three basis coefficients are those of cubic Hermite interpolation of
// y and f at both ends, `last` being the stage f(t+h, y1); those of higher degree (columns 3 ...) are given.
template <std::size_t All, std::size_t Degree, std::size_t Stages>
constexpr std::array<double, All * Degree> hermite_extension(std::array<double, All * Degree> higher,
                                                             const std::array<double, Stages>& b, std::size_t last) {
  for (std::size_t i = 0; i < All; ++i) {
    const double bi = i < Stages ? b[i] : 0.0;
    const double first = i == 0 ? 1.0 : 0.0;
    double* row = &higher[i * Degree];
    row[0] = bi;
    row[1] = first - bi;
    row[2] = 2.0 * bi - first - (i == last ? 1.0 : 0.0);
  }
  return higher;
}

// ---- Classical method of order 4 ------------------------------------------------------------------------------------

constexpr Entry rk4_a_entries[] = {{1, 0, 0.5}, {2, 1, 0.5}, {3, 2, 1.0}};
constexpr std::array<double, 5> rk4_c{0.0, 0.5, 0.5, 1.0, 1.0};
constexpr std::array<double, 4> rk4_b{1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
constexpr auto rk4_a = stage_matrix<5, 4>(rk4_a_entries, rk4_b);
constexpr auto rk4_dense = hermite_extension<5, 3>(std::array<double, 15>{}, rk4_b, 4);

constexpr ExplicitTableau rk4{
    .name = "rk4",
    .reference = "W. Kutta, Z. Math. Phys. 46 (1901) 435-453",
    .stages = 4,
    .trial_stages = 4,
    .extra_stages = 1,
    .order = 4,
    .error_order = 0,
    .first_same_as_last = false,
    .dense_order = 3,
    .dense_degree = 3,
    .a = rk4_a,
    .b = rk4_b,
    .c = rk4_c,
    .error = {},
    .error3 = {},
    .dense = rk4_dense,
};

// ---- Dormand-Prince 5(4) --------------------------------------------------------------------------------------------

constexpr std::array<double, 7> dopri5_c{0.0, 1.0 / 5.0, 3.0 / 10.0, 4.0 / 5.0, 8.0 / 9.0, 1.0, 1.0};

constexpr Entry dopri5_a_entries[] = {
    {1, 0, 1.0 / 5.0},        {2, 0, 3.0 / 40.0},     {2, 1, 9.0 / 40.0},        {3, 0, 44.0 / 45.0},
    {3, 1, -56.0 / 15.0},     {3, 2, 32.0 / 9.0},     {4, 0, 19372.0 / 6561.0},  {4, 1, -25360.0 / 2187.0},
    {4, 2, 64448.0 / 6561.0}, {4, 3, -212.0 / 729.0}, {5, 0, 9017.0 / 3168.0},   {5, 1, -355.0 / 33.0},
    {5, 2, 46732.0 / 5247.0}, {5, 3, 49.0 / 176.0},   {5, 4, -5103.0 / 18656.0},
};

constexpr std::array<double, 7> dopri5_b{35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0,
                                         11.0 / 84.0,  0.0};

constexpr std::array<double, 7> dopri5_error{71.0 / 57600.0,      0.0,          -71.0 / 16695.0, 71.0 / 1920.0,
                                             -17253.0 / 339200.0, 22.0 / 525.0, -1.0 / 40.0};

constexpr Entry dopri5_dense_entries[] = {
    {0, 3, -12715105075.0 / 11282082432.0}, {2, 3, 87487479700.0 / 32700410799.0},
    {3, 3, -10690763975.0 / 1880347072.0},  {4, 3, 701980252875.0 / 199316789632.0},
    {5, 3, -1453857185.0 / 822651844.0},    {6, 3, 69997945.0 / 29380423.0},
};

constexpr auto dopri5_a = stage_matrix<7, 6>(dopri5_a_entries, dopri5_b);
constexpr auto dopri5_dense = hermite_extension<7, 4>(table<7, 4>(dopri5_dense_entries), dopri5_b, 6);

constexpr ExplicitTableau dopri5{
    .name = "dopri5",
    .reference =
        "J.R. Dormand, P.J. Prince, J. Comput. Appl. Math. 6 (1980) 19-26; extension: E. Hairer, S.P. Norsett, "
        "G. Wanner, Solving Ordinary Differential Equations I, 2nd ed., Springer 1993, section II.6",
    .stages = 7,
    .trial_stages = 7,
    .extra_stages = 0,
    .order = 5,
    .error_order = 4,
    .first_same_as_last = true,
    .dense_order = 4,
    .dense_degree = 4,
    .a = dopri5_a,
    .b = dopri5_b,
    .c = dopri5_c,
    .error = dopri5_error,
    .error3 = {},
    .dense = dopri5_dense,
};

// ---- Dormand-Prince 8(5,3) ------------------------------------------------------------------------------------------

constexpr std::array<double, 16> dop853_c{
    0.0,
    0.0526001519587677318785587544488,
    0.0789002279381515978178381316732,
    0.11835034190722739672675719751,
    0.28164965809277260327324280249,
    1.0 / 3.0,
    0.25,
    4.0 / 13.0,
    127.0 / 195.0,
    0.6,
    6.0 / 7.0,
    1.0,
    1.0,
    0.1,
    0.2,
    7.0 / 9.0,
};

constexpr Entry dop853_a_entries[] = {
    {1, 0, 0.0526001519587677318785587544488},
    {2, 0, 0.0197250569845378994544595329183},
    {2, 1, 0.0591751709536136983633785987549},
    {3, 0, 0.0295875854768068491816892993775},
    {3, 2, 0.0887627564304205475450678981324},
    {4, 0, 0.241365134159266685502369798665},
    {4, 2, -0.884549479328286085344864962717},
    {4, 3, 0.924834003261792003115737966543},
    {5, 0, 0.037037037037037037037037037037},
    {5, 3, 0.170828608729473871279604482173},
    {5, 4, 0.125467687566822425016691814123},
    {6, 0, 0.037109375},
    {6, 3, 0.170252211019544039314978060272},
    {6, 4, 0.0602165389804559606850219397283},
    {6, 5, -0.017578125},
    {7, 0, 0.0370920001185047927108779319836},
    {7, 3, 0.170383925712239993810214054705},
    {7, 4, 0.107262030446373284651809199168},
    {7, 5, -0.0153194377486244017527936158236},
    {7, 6, 0.00827378916381402288758473766002},
    {8, 0, 0.624110958716075717114429577812},
    {8, 3, -3.36089262944694129406857109825},
    {8, 4, -0.868219346841726006818189891453},
    {8, 5, 27.5920996994467083049415600797},
    {8, 6, 20.1540675504778934086186788979},
    {8, 7, -43.4898841810699588477366255144},
    {9, 0, 0.477662536438264365890433908527},
    {9, 3, -2.48811461997166764192642586468},
    {9, 4, -0.590290826836842996371446475743},
    {9, 5, 21.2300514481811942347288949897},
    {9, 6, 15.2792336328824235832596922938},
    {9, 7, -33.2882109689848629194453265587},
    {9, 8, -0.0203312017085086261358222928593},
    {10, 0, -0.93714243008598732571704021658},
    {10, 3, 5.18637242884406370830023853209},
    {10, 4, 1.09143734899672957818500254654},
    {10, 5, -8.14978701074692612513997267357},
    {10, 6, -18.5200656599969598641566180701},
    {10, 7, 22.7394870993505042818970056734},
    {10, 8, 2.49360555267965238987089396762},
    {10, 9, -3.0467644718982195003823669022},
    {11, 0, 2.27331014751653820792359768449},
    {11, 3, -10.5344954667372501984066689879},
    {11, 4, -2.00087205822486249909675718444},
    {11, 5, -17.9589318631187989172765950534},
    {11, 6, 27.9488845294199600508499808837},
    {11, 7, -2.85899827713502369474065508674},
    {11, 8, -8.87285693353062954433549289258},
    {11, 9, 12.3605671757943030647266201528},
    {11, 10, 0.643392746015763530355970484046},
    {13, 0, 0.0561675022830479523392909219681},
    {13, 6, 0.253500210216624811088794765333},
    {13, 7, -0.246239037470802489917441475441},
    {13, 8, -0.124191423263816360469010140626},
    {13, 9, 0.15329179827876569731206322685},
    {13, 10, 0.00820105229563468988491666602057},
    {13, 11, 0.00756789766054569976138603589584},
    {13, 12, -0.008298},
    {14, 0, 0.0318346481635021405060768473261},
    {14, 5, 0.0283009096723667755288322961402},
    {14, 6, 0.0535419883074385676223797384372},
    {14, 7, -0.0549237485713909884646569340306},
    {14, 10, -1.08347328697249322858509316994e-4},
    {14, 11, 3.82571090835658412954920192323e-4},
    {14, 12, -3.40465008687404560802977114492e-4},
    {14, 13, 0.141312443674632500278074618366},
    {15, 0, -0.428896301583791923408573538692},
    {15, 5, -4.69762141536116384314449447206},
    {15, 6, 7.68342119606259904184240953878},
    {15, 7, 4.06898981839711007970213554331},
    {15, 8, 0.356727187455281109270669543021},
    {15, 12, -0.00139902416515901462129418009734},
    {15, 13, 2.9475147891527723389556272149},
    {15, 14, -9.15095847217987001081870187138},
};

constexpr std::array<double, 13> dop853_b{
    0.0542937341165687622380535766363,
    0.0,
    0.0,
    0.0,
    0.0,
    4.45031289275240888144113950566,
    1.89151789931450038304281599044,
    -5.8012039600105847814672114227,
    0.31116436695781989440891606237,
    -0.152160949662516078556178806805,
    0.201365400804030348374776537501,
    0.0447106157277725905176885569043,
    0.0,
};

constexpr std::array<double, 13> dop853_error{
    0.01312004499419488073250102996,
    0.0,
    0.0,
    0.0,
    0.0,
    -1.225156446376204440720569753,
    -0.4957589496572501915214079952,
    1.664377182454986536961530415,
    -0.350328848749973681688648729,
    0.3341791187130174790297318841,
    0.08192320648511571246570742613,
    -0.02235530786388629525884427845,
    0.0,
};

constexpr Entry dop853_dense_entries[] = {
    {0, 3, -8.4289382761090128651353491142},  {5, 3, 0.5667149535193777696253178359},
    {6, 3, -3.0689499459498916912797304727},  {7, 3, 2.384667656512069828772814968},
    {8, 3, 2.1170345824450282767155149946},   {9, 3, -0.8713915837779729920678990749},
    {10, 3, 2.240437430260788275854177165},   {11, 3, 0.6315787787694688181557024929},
    {12, 3, -0.0889903364513333108206981174}, {13, 3, 18.148505520854727256656404962},
    {14, 3, -9.1946323924783554000451984436}, {15, 3, -4.4360363875948939664310572},
    {0, 4, 10.427508642579134603413151009},   {5, 4, 242.28349177525818288430175319},
    {6, 4, 165.20045171727028198505394887},   {7, 4, -374.54675472269020279518312152},
    {8, 4, -22.113666853125306036270938578},  {9, 4, 7.7334326684722638389603898808},
    {10, 4, -30.674084731089398182061213626}, {11, 4, -9.3321305264302278729567221706},
    {12, 4, 15.697238121770843886131091075},  {13, 4, -31.139403219565177677282850411},
    {14, 4, -9.3529243588444783865713862664}, {15, 4, 35.81684148639408375246589854},
    {0, 5, 19.985053242002433820987653617},   {5, 5, -387.03730874935176555105901742},
    {6, 5, -189.17813819516756882830838328},  {7, 5, 527.80815920542364900561016686},
    {8, 5, -11.573902539959630126141871134},  {9, 5, 6.8812326946963000169666922661},
    {10, 5, -1.000605096691083840318386098},  {11, 5, 0.7777137798053443209286926574},
    {12, 5, -2.7782057523535084065932004339}, {13, 5, -60.196695231264120758267380846},
    {14, 5, 84.320405506677161018159903784},  {15, 5, 11.99229113618278932803513003},
    {0, 6, -25.693933462703749003312586129},  {5, 6, -154.18974869023643374053993627},
    {6, 6, -231.52937917604549567536039109},  {7, 6, 357.6391179106141237828534991},
    {8, 6, 93.405324183624310003907691704},   {9, 6, -37.458323136451633156875139351},
    {10, 6, 104.09964950896230045147246184},  {11, 6, 29.840293426660503123344363579},
    {12, 6, -43.533456590011143754432175058}, {13, 6, 96.3245539591882829483949506},
    {14, 6, -39.177261675615439165231486172}, {15, 6, -149.72683625798562581422125276},
};

// The estimator of order 3 compares y1 with a quadrature formula in stages 0, 8 and 11.
constexpr std::array<double, 13> dop853_third_order_error() {
  auto result = dop853_b;
  result[0] -= 0.244094488188976377952755905512;
  result[8] -= 0.733846688281611857341361741547;
  result[11] -= 0.0220588235294117647058823529412;
  return result;
}

constexpr auto dop853_error3 = dop853_third_order_error();
constexpr auto dop853_a = stage_matrix<16, 12>(dop853_a_entries, dop853_b);
constexpr auto dop853_dense = hermite_extension<16, 7>(table<16, 7>(dop853_dense_entries), dop853_b, 12);

constexpr ExplicitTableau dop853{
    .name = "dop853",
    .reference =
        "E. Hairer, S.P. Norsett, G. Wanner, Solving Ordinary Differential Equations I, 2nd ed., Springer 1993, "
        "sections II.5, II.6 and II.10; after P.J. Prince, J.R. Dormand, J. Comput. Appl. Math. 7 (1981) 67-75",
    .stages = 13,
    .trial_stages = 12,
    .extra_stages = 3,
    .order = 8,
    .error_order = 7,
    .first_same_as_last = true,
    .dense_order = 7,
    .dense_degree = 7,
    .a = dop853_a,
    .b = dop853_b,
    .c = dop853_c,
    .error = dop853_error,
    .error3 = dop853_error3,
    .dense = dop853_dense,
};

static_assert(rk4.all_stages() <= max_tableau_stages && rk4.dense_degree <= max_dense_degree);
static_assert(dopri5.all_stages() <= max_tableau_stages && dopri5.dense_degree <= max_dense_degree);
static_assert(dop853.all_stages() <= max_tableau_stages && dop853.dense_degree <= max_dense_degree);

void combine(const ExplicitTableau& tableau, std::span<const double> basis, std::span<double> weights) noexcept {
  assert(weights.size() >= static_cast<std::size_t>(tableau.all_stages()));
  for (int i = 0; i < tableau.all_stages(); ++i) {
    const auto row = tableau.dense_row(i);
    double sum = 0.0;
    for (std::size_t m = row.size(); m-- > 0;) sum += row[m] * basis[m];
    weights[static_cast<std::size_t>(i)] = sum;
  }
}

}  // namespace

const ExplicitTableau& rk4_tableau() noexcept { return rk4; }

const ExplicitTableau& dopri5_tableau() noexcept { return dopri5; }

const ExplicitTableau& dop853_tableau() noexcept { return dop853; }

double combined_error(double error_norm, double error3_norm) noexcept {
  if (error_norm == 0.0) return 0.0;
  return error_norm * (error_norm / std::hypot(error_norm, 0.1 * error3_norm));
}

void dense_basis(double theta, std::span<double> basis) noexcept {
  double p = 1.0;
  for (std::size_t m = 0; m < basis.size(); ++m) {
    p *= m % 2 == 0 ? theta : 1.0 - theta;
    basis[m] = p;
  }
}

void dense_basis_derivative(double theta, std::span<double> derivative) noexcept {
  double p = 1.0;
  double dp = 0.0;
  for (std::size_t m = 0; m < derivative.size(); ++m) {
    const double factor = m % 2 == 0 ? theta : 1.0 - theta;
    dp = m % 2 == 0 ? dp * factor + p : dp * factor - p;
    p *= factor;
    derivative[m] = dp;
  }
}

void dense_weights(const ExplicitTableau& tableau, double theta, std::span<double> weights) noexcept {
  std::array<double, max_dense_degree> buffer;
  const auto basis = std::span(buffer).first(static_cast<std::size_t>(tableau.dense_degree));
  dense_basis(theta, basis);
  combine(tableau, basis, weights);
}

void dense_derivative_weights(const ExplicitTableau& tableau, double theta, std::span<double> weights) noexcept {
  std::array<double, max_dense_degree> buffer;
  const auto basis = std::span(buffer).first(static_cast<std::size_t>(tableau.dense_degree));
  dense_basis_derivative(theta, basis);
  combine(tableau, basis, weights);
}

}  // namespace trill
