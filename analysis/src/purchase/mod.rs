//! Purchase for a demand: the smallest offer of each kind that carries it second by second (docs/design/limits.md, "A
//! recorded demand").
//!
//! | file | contents |
//! |---|---|
//! | `load` | requests -> seconds, as charged by each way of counting |
//! | `need`, `sampled` | needs and samples as such seconds |
//! | `sizes` | the smallest and the largest configuration of a kind |
//! | `steps` | the demand that each cap sees |
//! | `queue` | simulation of limits and buckets, second by second |
//! | `terms` | does an offer carry the demand, on which terms |
//! | `mod` | kinds, layouts, instances |

mod load;
mod need;
mod queue;
mod sampled;
mod sizes;
mod steps;
mod terms;

pub use need::NotSold;
pub use terms::PurchaseTerms;

use crate::catalog::row::{Instance, Volume};
use crate::catalog::{Catalog, ResolveError, Resolved};
use load::{Countings, Load, LoadBuilder};
use messages::sentence;
use model::bounds::Need;
use model::foreign::ForeignFile;
use model::judged::{
    BoughtVolume, Demand, LatencyClass, NeedRate, Purchase, PurchaseLayout, Purchases, RejectedKind, Rejection,
    RoleRoom, RoomSource, ServedDemand,
};
use model::recording::{RecordedRequest, RecordedTarget};
use model::{Bytes, Caveat, CompactSort, Limit, Nanos, Severity, plan::UNMAPPED};
use sizes::{Kind, choices, weight};
use std::collections::{BTreeMap, BTreeSet};
use steps::Demands;
use terms::{Asked, served};

/// Maximum number of roles, or files, for which a layout with a volume each is computed.
const MOST_APART: usize = 16;
/// Mean size below which requests are small for a hard disk: its seek then takes longer than the transfer.
const SMALL: Bytes = Bytes::from_kib(64);
/// Numbers of volumes in the stripe sets that are tried if a single volume is not enough.
const STRIPES: [u32; 5] = [1, 2, 4, 8, 16];

/// Parameters of a purchase.
#[derive(Debug, Clone, Default)]
pub struct PurchaseRequest<'a> {
    /// Terms of the purchase.
    pub terms: PurchaseTerms,
    /// Allowed providers; empty = all.
    pub providers: &'a [String],
    /// Instance that the volumes are attached to.
    pub instance: Option<&'a str>,
    /// Volumes to try in addition to those found.
    pub volumes: &'a [String],
    /// Volume that is in use now.
    pub current: Option<&'a str>,
    /// True if previous generations and special instances are also suggested.
    pub everything: bool,
}

/// Space that a purchase needs.
#[derive(Debug, Clone, Copy, Default)]
pub struct PurchaseSpace<'a> {
    /// Space for all roles on one volume.
    pub all: Option<Bytes>,
    /// Space for single roles.
    pub roles: &'a [(String, Bytes)],
}

/// Search in a catalogue on given terms.
#[derive(Debug)]
pub struct PurchaseSearch<'a> {
    catalog: &'a Catalog,
    request: PurchaseRequest<'a>,
    countings: Countings,
    instance: Option<Resolved>,
    volumes: Vec<Resolved>,
    current: Option<Resolved>,
    /// Kinds of volumes that may be offered, each with its rows: the rungs of a ladder.
    kinds: Vec<(String, Vec<&'a Volume>)>,
}

/// A demand to buy for, second by second.
#[derive(Debug)]
pub struct PurchaseDemand {
    groups: Vec<Group>,
    /// Seconds after which the demand repeats.
    period: u64,
    length: Nanos,
    resolution: Option<Nanos>,
    /// Maximum latency that its needs name.
    latency: Option<Nanos>,
    needs: Vec<NeedRate>,
    doubts: Vec<Caveat>,
}

impl PurchaseDemand {
    /// Returns the roles, the busiest first.
    pub fn roles(&self) -> impl Iterator<Item = &str> {
        self.groups.iter().map(|g| g.room.role.as_str())
    }

    /// Returns `true` if layouts with a volume for each role can be compared with one volume of this size: together they
    /// must have at least its space.
    fn has_roles_apart(&self, all: Option<Bytes>) -> bool {
        let space: u64 = self.groups.iter().map(|g| g.room.room.as_u64()).sum();
        (2..=MOST_APART).contains(&self.groups.len()) && all.is_none_or(|all| space >= all.as_u64())
    }
}

/// Takes requests in the order of their issue, and keeps their charges second by second, for every way of counting in a
/// catalogue.
#[derive(Debug)]
pub struct PurchaseBuilder(LoadBuilder);

impl PurchaseBuilder {
    /// Takes the next request.
    pub fn add(&mut self, request: &RecordedRequest) {
        self.0.add(request);
    }

    /// Returns the requests as a demand. `demand` describes the same requests; `targets` are all targets of the
    /// recording.
    #[must_use]
    pub fn finish(self, demand: &Demand, targets: &[RecordedTarget]) -> PurchaseDemand {
        let (countings, loads) = self.0.finish();
        let last = loads.values().filter_map(|l| l.seconds.last()).max().copied().unwrap_or(0);
        PurchaseDemand {
            period: demand.length.as_nanos().div_ceil(1_000_000_000).max(u64::from(last) + 1),
            groups: groups(loads, &countings, demand, targets),
            length: demand.length,
            resolution: None,
            latency: None,
            needs: Vec::new(),
            doubts: demand.doubts.clone(),
        }
    }
}

/// Requests of one or several roles, and the space they need.
#[derive(Debug)]
struct Group {
    room: RoleRoom,
    /// Devices, or files, with their sizes.
    devices: BTreeMap<String, Bytes>,
    load: Load,
}

/// An offer found for one group, with its kind.
struct Found {
    kind: String,
    bought: Resolved,
}

/// Demands of which a purchase must carry each, with the space that all of them need.
struct Wanted<'a> {
    asked: &'a [Asked<'a>],
    room: Bytes,
    latency: Option<Nanos>,
    /// True for needs, which are the same in every second.
    steady: bool,
}

impl<'a> PurchaseSearch<'a> {
    /// Creates a search. The volumes and the instance of the request are looked up, so that a wrong name is reported
    /// before a long file is read.
    ///
    /// # Errors
    /// Returns an error if a name is not in the catalogue; the error names the nearest one.
    pub fn new(catalog: &'a Catalog, request: PurchaseRequest<'a>) -> Result<Self, ResolveError> {
        let instance = request.instance.map(|name| catalog.resolve_instance(name)).transpose()?;
        let volumes = request.volumes.iter().map(|text| catalog.resolve_volume(text)).collect::<Result<Vec<_>, _>>()?;
        let current = request.current.map(|text| catalog.resolve_volume(text)).transpose()?;
        let limits = volumes.iter().chain(&current).flat_map(|v| &v.limits);
        let countings = Countings::from_catalog(catalog, limits);
        let kinds = find_kinds(catalog, &request, instance.as_ref());
        Ok(PurchaseSearch { catalog, countings, instance, volumes, current, request, kinds })
    }

    /// Returns doubts about the named volumes and the instance.
    pub fn doubts(&self) -> impl Iterator<Item = &model::Sentence> {
        self.volumes.iter().chain(&self.current).chain(&self.instance).flat_map(|r| &r.doubts)
    }

    /// Returns the provider of the named instance.
    #[must_use]
    pub fn provider(&self) -> Option<&str> {
        provider_and_kind(self.instance.as_ref()?).map(|(provider, _)| provider)
    }

    /// Returns a builder for the requests of a recording.
    #[must_use]
    pub fn recording(&self) -> PurchaseBuilder {
        PurchaseBuilder(LoadBuilder::new(self.countings.clone()))
    }

    /// Returns a steady demand for each need, or one for the sum of all.
    ///
    /// # Errors
    /// Returns an error if a need has no rate, or is not about blocks.
    pub fn needs(&self, needs: &[Need], together: bool) -> Result<Vec<PurchaseDemand>, NotSold> {
        need::demands(needs, together, &self.countings)
    }

    /// Returns the demand in samples of another tool.
    ///
    /// # Errors
    /// Returns a phrase if there are no samples of reads and writes.
    pub fn samples(&self, files: &[ForeignFile]) -> Result<PurchaseDemand, &'static str> {
        sampled::demand(files, &self.countings)
    }

    /// Returns the purchases that carry each of the demands; there must be at least one demand.
    #[must_use]
    pub fn solve(&self, mut demands: Vec<PurchaseDemand>, space: PurchaseSpace) -> Purchases {
        for group in demands.iter_mut().flat_map(|d| &mut d.groups) {
            if let Some((_, room)) = space.roles.iter().find(|(role, _)| *role == group.room.role) {
                (group.room.room, group.room.source) = (*room, RoomSource::Said);
            }
        }
        let rooms = || demands.iter().map(|d| common_room(&d.groups));
        let room = space.all.unwrap_or_else(|| rooms().max().unwrap_or_default());
        let sum = |d: &PurchaseDemand| Load::sum(d.groups.iter().map(|g| &g.load), self.countings.stride());
        let sums: Vec<Load> = demands.iter().map(sum).collect();
        let asked = sums.iter().zip(&demands).map(|(load, d)| self.asked(load, d.period));
        let asked: Vec<Asked> = asked.collect();
        let latency = demands.iter().filter_map(|d| d.latency).min();
        let steady = demands.iter().all(|d| !d.needs.is_empty());
        let wanted = Wanted { asked: &asked, room, latency, steady };
        let (together, rejected) = self.together(&wanted);
        let single = (demands.len() == 1).then(|| &demands[0]);
        let apart = single.filter(|d| d.has_roles_apart(space.all)).map(|d| self.apart(d));
        let named = self.instance.as_ref().map(|bought| self.worst(bought, &wanted));
        let best = model::judged::best_purchase(std::iter::once(&together).chain(&apart));
        let rows: Vec<&str> = best.iter().flat_map(|p| &p.bought).map(|b| b.row.as_str()).collect();
        let instances = if named.is_none() { self.instances(&wanted, &rows) } else { Vec::new() };
        let old = best.map(|best| self.old_figures(best)).unwrap_or_default();
        let mut doubts: Vec<Caveat> = model::distinct(demands.iter().flat_map(|d| d.doubts.iter().cloned()));
        // Capacity for requests that the page cache answers would be wasted.
        let above = doubts.iter_mut().filter(|doubt| doubt.id == "recording-above-cache");
        above.for_each(|doubt| doubt.severity = Severity::Doubt);
        let roles = single.map_or(1, |d| d.groups.len());
        let terms = &self.request.terms;
        let needs: Vec<NeedRate> = demands.iter().flat_map(|d| d.needs.iter().cloned()).collect();
        doubts.extend(old);
        doubts.extend(best.and_then(|best| hard_disks(best, &wanted)));
        doubts.extend(self.doubts_of(&together, room.is_zero() && needs.is_empty(), roles));
        Purchases {
            simultaneous: demands.iter().any(|d| d.needs.len() > 1),
            latency,
            length: demands.iter().map(|d| d.length).max().unwrap_or_default(),
            resolution: demands.iter().filter_map(|d| d.resolution).max(),
            headroom: terms.headroom,
            wait: Nanos::from_secs(terms.wait),
            lasting: terms.lasting.map(Nanos::from_secs),
            credits: terms.credits,
            roles: match needs.is_empty() {
                true => demands.into_iter().flat_map(|d| d.groups).map(|g| g.room).collect(),
                false => Vec::new(),
            },
            needs,
            room,
            current: self.current.as_ref().map(|bought| self.worst(bought, &wanted)),
            instance: named,
            together,
            apart,
            rejected,
            instances,
            doubts,
        }
    }

    fn asked<'b>(&'b self, load: &'b Load, period: u64) -> Asked<'b> {
        Asked::new(load, &self.countings, period)
    }

    /// Returns the cheapest result of `choose` for each kind, over the rungs of its ladder and its parameters; without
    /// prices, the first. A stripe set is tried if no single volume is enough.
    fn each_kind(&self, stripes: &[u32], choose: impl Fn(Kind) -> Option<Resolved>) -> Vec<Found> {
        let price = |bought: &Resolved| bought.price.as_ref().map_or(f64::INFINITY, |p| p.amount);
        let mut offers = Vec::new();
        for (kind, volumes) in &self.kinds {
            for count in stripes.iter().filter(|count| **count == 1 || !(volumes[0].local || volumes[0].shared)) {
                let mut cheapest: Option<Resolved> = None;
                for volume in volumes {
                    for parameters in choices(volume) {
                        let this = Kind { catalog: self.catalog, volume, parameters: &parameters, count: *count };
                        let enough = || cheapest.as_ref().is_some_and(|c| price(c).is_infinite());
                        let Some(bought) = (!enough()).then(|| choose(this)).flatten() else { continue };
                        if cheapest.as_ref().is_none_or(|known| price(&bought) < price(known)) {
                            cheapest = Some(bought);
                        }
                    }
                }
                if let Some(bought) = cheapest {
                    offers.push(Found { kind: kind.clone(), bought });
                    break;
                }
            }
        }
        offers
    }

    fn meets(&self, bought: &Resolved, wanted: &Wanted) -> bool {
        let carries =
            |a: &Asked| a.known(&bought.limits, bought.local) && a.carried(&bought.limits, &self.request.terms);
        !excluded(bought, wanted) && wanted.asked.iter().all(carries)
    }

    /// Returns the smallest offer of each kind that carries the demands by itself and has enough space.
    fn carrying(&self, wanted: &Wanted) -> Vec<Found> {
        self.each_kind(&STRIPES, |kind| kind.smallest(wanted.room, &|bought| self.meets(bought, wanted)))
    }

    fn together(&self, wanted: &Wanted) -> (PurchaseLayout, Vec<RejectedKind>) {
        let mut layout = PurchaseLayout::default();
        let offers = self.carrying(wanted);
        layout.carrying = offers.iter().map(|found| self.worst(&found.bought, wanted)).collect();
        // Offers with enough space and nothing more.
        let plain = self.each_kind(&[1], |kind| {
            let bought = kind.plainest(wanted.room).filter(|bought| !bought.local)?;
            let known = wanted.asked.iter().all(|a| a.known(&bought.limits, bought.local));
            (known && !excluded(&bought, wanted) && !self.meets(&bought, wanted)).then_some(bought)
        });
        // A steady need is either carried or not.
        if !wanted.steady {
            layout.holding = plain.iter().map(|found| self.worst(&found.bought, wanted)).collect();
        }
        for bought in &self.volumes {
            let tried = self.worst(bought, wanted);
            if tried.carries { layout.carrying.insert(0, tried) } else { layout.holding.insert(0, tried) }
        }
        sort(&mut layout, wanted.latency.is_some());
        let held: &[Found] = if wanted.steady { &[] } else { &plain };
        let rejected = self.rejected(offers.iter().chain(held), wanted);
        (layout, rejected)
    }

    /// Returns the kinds that are not offered, each with the reason that is nearest to an offer.
    fn rejected<'b>(&self, known: impl Iterator<Item = &'b Found>, wanted: &Wanted) -> Vec<RejectedKind> {
        let offered: BTreeSet<&str> = known.map(|f| f.kind.as_str()).collect();
        let rejected = |(kind, volumes): &(String, Vec<&Volume>)| {
            let mut nearest: Option<Rejection> = None;
            for volume in volumes {
                for parameters in choices(volume) {
                    let this = Kind { catalog: self.catalog, volume, parameters: &parameters, count: 1 };
                    let Some(widest) = this.widest() else { continue };
                    let reason = self.reason(this, &widest, wanted);
                    if nearest.as_ref().is_none_or(|known| nearness(&reason) > nearness(known)) {
                        nearest = Some(reason);
                    }
                }
            }
            Some(RejectedKind { kind: kind.clone(), reason: nearest? })
        };
        self.kinds.iter().filter(|(kind, _)| !offered.contains(kind.as_str())).filter_map(rejected).collect()
    }

    fn reason(&self, kind: Kind, widest: &Resolved, wanted: &Wanted) -> Rejection {
        if let Some(class) = widest.latency.filter(|_| excluded(widest, wanted)) {
            return Rejection::Latency { class };
        }
        if !wanted.asked.iter().all(|a| a.known(&widest.limits, widest.local)) {
            return Rejection::Unpublished;
        }
        if kind.largest() < wanted.room {
            return Rejection::Capacity { largest: kind.largest() };
        }
        let tightest = wanted.asked.iter().filter_map(|a| a.headroom(&widest.limits));
        match tightest.min_by(|a, b| a.factor.total_cmp(&b.factor)) {
            Some(headroom) => Rejection::Cap { headroom },
            None => Rejection::Unpublished,
        }
    }

    /// Returns layouts with a volume for each role: all of one kind, and the cheapest for each role.
    fn apart(&self, demand: &PurchaseDemand) -> PurchaseLayout {
        let groups = &demand.groups;
        let carrying = |g: &Group| {
            let asked = [self.asked(&g.load, demand.period)];
            let steady = !demand.needs.is_empty();
            self.carrying(&Wanted { asked: &asked, room: g.room.room, latency: demand.latency, steady })
        };
        let offers: Vec<Vec<Found>> = groups.iter().map(carrying).collect();
        let total = Load::sum(groups.iter().map(|g| &g.load), self.countings.stride());
        let total = self.asked(&total, demand.period);
        let each: Vec<Asked> = groups.iter().map(|g| self.asked(&g.load, demand.period)).collect();
        let roles: Vec<String> = groups.iter().map(|g| g.room.role.clone()).collect();
        let bought = |volumes: &[&Resolved]| self.bought(volumes, &each, &total, &roles);
        let mut layout = PurchaseLayout::default();
        let kinds: BTreeSet<&str> = offers.iter().flatten().map(|f| f.kind.as_str()).collect();
        for kind in kinds {
            let volumes: Option<Vec<&Resolved>> =
                offers.iter().map(|f| f.iter().find(|f| f.kind == kind).map(|f| &f.bought)).collect();
            layout.carrying.extend(volumes.map(|volumes| bought(&volumes)));
        }
        let amount = |bought: &Resolved| bought.price.as_ref().map(|p| p.amount);
        let cheapest: Option<Vec<&Resolved>> = offers
            .iter()
            .map(|f| {
                let priced = f.iter().filter_map(|f| Some((amount(&f.bought)?, &f.bought)));
                priced.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, bought)| bought)
            })
            .collect();
        if let Some(mixed) = cheapest.map(|own| bought(&own)) {
            let rows = |p: &Purchase| p.bought.iter().map(|b| b.row.clone()).collect::<Vec<_>>();
            if layout.carrying.iter().all(|p| rows(p) != rows(&mixed)) {
                layout.carrying.push(mixed);
            }
        }
        sort(&mut layout, demand.latency.is_some());
        layout
    }

    /// Returns a purchase with its service for the demand that it serves worst.
    fn worst(&self, bought: &Resolved, wanted: &Wanted) -> Purchase {
        let each = wanted.asked.iter().map(|a| self.bought(&[bought], std::slice::from_ref(a), a, &[]));
        let factor = |p: &Purchase| p.headroom.as_ref().map_or(f64::INFINITY, |h| h.factor);
        let worst = each.min_by(|a, b| a.carries.cmp(&b.carries).then(factor(a).total_cmp(&factor(b))));
        let mut worst = worst.expect("there is a demand");
        worst.carries &= !excluded(bought, wanted);
        if wanted.steady {
            // Seconds that wait say nothing about a need that lasts for ever.
            let ServedDemand { binds, credits, lasts, .. } = std::mem::take(&mut worst.served);
            worst.served = ServedDemand { binds, credits, lasts, ..ServedDemand::default() };
        }
        worst
    }

    /// Returns a purchase with the service that it would provide together with the named instance. `each` is the demand
    /// on each volume, and `total` is their sum.
    fn bought(&self, bought: &[&Resolved], each: &[Asked], total: &Asked, roles: &[String]) -> Purchase {
        let several = bought.len() > 1;
        let mut limits: Vec<(Option<usize>, &Limit)> = Vec::new();
        for (at, bought) in bought.iter().enumerate() {
            limits.extend(bought.limits.iter().map(|l| (several.then_some(at), l)));
        }
        let instance = self.instance.as_ref().filter(|i| !bought.iter().any(|b| std::ptr::eq(*b, *i) || b.local));
        limits.extend(instance.into_iter().flat_map(|i| &i.limits).map(|l| (None, l)));
        let loads = || each.iter().flat_map(|a| &a.demands.loads).copied().collect();
        let joint = several.then(|| Demands::new(loads(), &self.countings, total.demands.period));
        let (served, carries) = served(joint.as_ref().unwrap_or(&total.demands), &limits, &self.request.terms);
        let of_volumes = bought.iter().zip(each).filter_map(|(bought, asked)| asked.headroom(&bought.limits));
        let of_instance = instance.and_then(|i| total.headroom(&i.limits));
        let headroom = of_volumes.chain(of_instance).min_by(|a, b| a.factor.total_cmp(&b.factor));
        let bought = bought.iter().enumerate().map(|(at, bought)| BoughtVolume {
            roles: roles.get(at).into_iter().cloned().collect(),
            row: bought.row.clone(),
            price: bought.price.clone(),
            latency: bought.latency,
            source: bought.origin.source.clone(),
            date: bought.origin.date.clone(),
        });
        Purchase::new(bought.collect(), served, carries, headroom)
    }

    /// Returns the smallest instance of each family that carries the demands, the smallest first: those that the
    /// volumes in `rows` can be attached to, or all.
    fn instances(&self, wanted: &Wanted, rows: &[&str]) -> Vec<Purchase> {
        let providers = self.request.providers;
        let bare = |row: &&str| row.rsplit('*').next().and_then(|row| row.split(':').next()).map(str::to_owned);
        let names: Vec<String> = rows.iter().filter_map(bare).collect();
        let kinds: BTreeSet<&str> = self.catalog.volumes.iter().map(|v| v.kind.as_str()).collect();
        let attached = |i: &&Instance| {
            let mut names = names.iter().filter_map(|name| name.split_once('/'));
            let variant = i.kind.rsplit_once('@').map(|(_, variant)| variant).filter(|v| kinds.contains(v));
            names.any(|(provider, kind)| provider == i.provider && variant.is_none_or(|v| v == kind))
        };
        let suggested = |i: &&Instance| match self.request.everything {
            true => i.offered,
            false => self.catalog.is_usual(i) && (names.is_empty() || attached(i)),
        };
        let offered = self.catalog.instances.iter().filter(suggested);
        let mut sold: Vec<_> = offered.filter(|i| providers.is_empty() || providers.contains(&i.provider)).collect();
        sold.compact_sort_by(|a, b| {
            let (a, b) = (weight(a), weight(b));
            a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))
        });
        let mut families: BTreeSet<(&str, &str, &str)> = BTreeSet::new();
        let mut offers = Vec::new();
        for instance in sold {
            let family = (instance.provider.as_str(), instance.title.as_str(), instance.family());
            if families.contains(&family) {
                continue;
            }
            let Some(bought) = instance.resolved() else { continue };
            let terms = &self.request.terms;
            let carries = |a: &Asked| a.bounded(&bought.limits) && a.carried(&bought.limits, terms);
            if wanted.asked.iter().all(carries) {
                families.insert(family);
                offers.push(self.worst(&bought, wanted));
            }
        }
        offers
    }

    fn doubts_of(&self, together: &PurchaseLayout, unknown_room: bool, roles: usize) -> Vec<Caveat> {
        let mut doubts = Vec::new();
        if roles > MOST_APART {
            let seen = sentence!("purchase-many-roles-seen", n = roles as u64);
            doubts.push(Caveat::new("many-roles", Severity::Note, sentence!("purchase-many-roles"), seen));
        }
        let bursts = |p: &&Purchase| p.carries && !p.served.credits.is_empty();
        if self.request.terms.credits > 0.0 && together.carrying.iter().any(|p| bursts(&p)) {
            let seen =
                sentence!("purchase-credits-seen", percent = format!("{:.0}", self.request.terms.credits * 100.0));
            doubts.push(Caveat::new("credits-assumed", Severity::Note, sentence!("purchase-credits"), seen));
        }
        if unknown_room {
            let seen = sentence!("purchase-no-room-seen");
            let doubt = Caveat::new("room-unknown", Severity::Doubt, sentence!("purchase-no-room"), seen);
            doubts.push(doubt.remedy(sentence!("purchase-no-room-remedy")));
        }
        doubts
    }
}

/// Returns the provider and the kind of an instance, without its settings and disk type.
fn provider_and_kind(instance: &Resolved) -> Option<(&str, &str)> {
    instance.row.split([':', '@']).next()?.split_once('/')
}

/// Returns the volumes with known sizes of the allowed providers; with an instance, only those of its provider and
/// its own disks.
fn find_kinds<'a>(
    catalog: &'a Catalog,
    request: &PurchaseRequest<'_>,
    instance: Option<&Resolved>,
) -> Vec<(String, Vec<&'a Volume>)> {
    let name = instance.and_then(provider_and_kind);
    let providers = request.providers;
    let host = |v: &Volume| v.kind.rsplit('/').next().unwrap_or_default().to_owned();
    // The caps of n2-*-16@pd-ssd apply only to pd-ssd.
    let variant = instance.and_then(|i| i.row.split(':').next()?.rsplit_once('@'));
    let variant = variant.map(|(_, variant)| variant).filter(|v| catalog.volume(v).is_ok());
    let fits = |v: &Volume| match name {
        None => providers.is_empty() || providers.contains(&v.provider),
        Some((provider, _)) if provider != v.provider => false,
        Some((_, kind)) if v.local => host(v) == kind,
        Some(_) => variant.is_none_or(|variant| variant == v.kind),
    };
    let unusual = catalog.instances.iter().filter(|i| !catalog.is_usual(i));
    let unusual: BTreeSet<(&str, &str)> = unusual.map(|i| (i.provider.as_str(), i.kind.as_str())).collect();
    let everything = request.everything || name.is_some();
    // The disks of an instance of a previous generation are offered only on request.
    let suggested = |v: &Volume| !v.local || everything || !unusual.contains(&(&*v.provider, &*host(v)));
    let mut volumes: Vec<&Volume> =
        catalog.volumes.iter().filter(|v| v.size != (None, None) && fits(v) && suggested(v)).collect();
    // Disks of instances have no price: the smallest come first.
    let size = |v: &Volume| if v.local { v.size.0.unwrap_or(0.0) * v.size_unit.bytes } else { 0.0 };
    volumes.sort_by(|a, b| size(a).total_cmp(&size(b)));
    let mut kinds: Vec<(String, Vec<&Volume>)> = Vec::new();
    for volume in volumes {
        let label = label(volume);
        if let Some((_, rows)) = kinds.iter_mut().find(|(kind, _)| *kind == label) {
            rows.push(volume);
        } else if !kinds.iter().any(|(_, rows)| is_same(rows[0], volume)) {
            // Another name of the same kind is left out.
            kinds.push((label, vec![volume]));
        }
    }
    kinds
}

/// Groups requests by role, the busiest first. Requests without a known file belong to the busiest role of their
/// device.
fn groups(
    loads: BTreeMap<u16, Load>,
    countings: &Countings,
    demand: &Demand,
    targets: &[RecordedTarget],
) -> Vec<Group> {
    let unknown = RecordedTarget::default();
    let target = |at: u16| targets.get(usize::from(at)).unwrap_or(&unknown);
    let mut owners: BTreeMap<&str, (u64, &str)> = BTreeMap::new();
    for (at, load) in &loads {
        let (target, requests) = (target(*at), load.requests(countings));
        let owner = owners.entry(&target.name).or_insert((0, &target.role));
        if owner.1 == UNMAPPED || target.role != UNMAPPED && requests > owner.0 {
            *owner = (requests, &target.role);
        }
    }
    let mut loads_of: BTreeMap<&str, Vec<u16>> = BTreeMap::new();
    for at in loads.keys() {
        let target = target(*at);
        let role = if target.role == UNMAPPED { owners[target.name.as_str()].1 } else { &target.role };
        loads_of.entry(role).or_default().push(*at);
    }
    let role_of = |role: &str| demand.roles.iter().find(|r| r.role == role);
    let touched = |role: &str| role_of(role).and_then(|r| r.working_set.as_ref()).map_or(Bytes(0), |set| set.touched);
    let mut groups: Vec<Group> = loads_of
        .into_iter()
        .map(|(role, own)| {
            let load = Load::sum(own.iter().map(|at| &loads[at]), countings.stride());
            // The size of a device with several roles is assigned to the busiest of them. For the others only the
            // touched space is known.
            let owned = own.iter().map(|at| target(*at)).filter(|t| owners[t.name.as_str()].1 == role);
            let devices: BTreeMap<String, Bytes> = owned.map(|t| (t.name.clone(), t.size)).collect();
            let size: u64 = devices.values().map(|size| size.as_u64()).sum();
            let (room, source) = match size {
                0 => (touched(role), RoomSource::Touched),
                size => (Bytes(size), RoomSource::Recorded),
            };
            let room = RoleRoom { role: role.to_owned(), requests: load.requests(countings), room, source };
            Group { room, devices, load }
        })
        .collect();
    groups.compact_sort_by_key(|group| std::cmp::Reverse(group.room.requests));
    groups
}

impl PurchaseSearch<'_> {
    /// Returns doubts about a purchase whose price or figures were published more than a year ago.
    fn old_figures(&self, purchase: &Purchase) -> Vec<Caveat> {
        let doubt = |id, statement, dates: Vec<(&str, &str)>| {
            let remark = |(row, date): (&str, &str)| {
                let kind = row.split(':').next().unwrap_or(row).to_owned();
                Some(sentence!("purchase-old-seen", kind, remark = self.catalog.remark_on(date)?))
            };
            let seen = model::distinct(dates.into_iter().filter_map(remark));
            let seen = (!seen.is_empty()).then(|| model::Sentence::join(seen, "; "))?;
            Some(Caveat::new(id, Severity::Doubt, statement, seen))
        };
        let bought = || purchase.bought.iter();
        let prices = bought().filter_map(|b| Some((b.row.as_str(), b.price.as_ref()?.date.as_str())));
        let rows = bought().map(|b| (b.row.as_str(), b.date.as_str()));
        let price = doubt("old-price", sentence!("purchase-old-price"), prices.collect());
        price.into_iter().chain(doubt("old-figures", sentence!("purchase-old-figures"), rows.collect())).collect()
    }
}

/// Returns a doubt about hard disks for small random requests, unless a need states a latency.
fn hard_disks(purchase: &Purchase, wanted: &Wanted) -> Option<Caveat> {
    let is_slow = |b: &&BoughtVolume| b.latency == Some(LatencyClass::Ms) && wanted.latency.is_none();
    let kinds = purchase.bought.iter().filter(is_slow).map(|b| b.row.split(':').next().unwrap_or(&b.row));
    let kinds = model::distinct(kinds).join(", ");
    let size = Bytes(wanted.asked.iter().map(Asked::mean_size).fold(f64::INFINITY, f64::min) as u64);
    let seen = (!kinds.is_empty() && size < SMALL).then(|| sentence!("purchase-hard-disk-seen", kinds, size))?;
    let doubt = Caveat::new("hard-disk", Severity::Doubt, sentence!("purchase-hard-disk"), seen);
    Some(doubt.remedy(sentence!("purchase-hard-disk-remedy")))
}

/// Returns the name of a kind, without its settings; the rungs of a ladder share one.
fn label(volume: &Volume) -> String {
    match (volume.local, volume.rung) {
        (true, _) => format!("{}/local", volume.provider),
        (false, true) => format!("{}/{}", volume.provider, volume.title),
        (false, false) => volume.name(),
    }
}

/// Returns `true` if two rows describe the same kind under two names.
fn is_same(a: &Volume, b: &Volume) -> bool {
    a.provider == b.provider
        && a.title == b.title
        && (a.size, a.rung) == (b.size, b.rung)
        && (&a.iops, &a.bandwidth, &a.read, &a.write) == (&b.iops, &b.bandwidth, &b.read, &b.write)
}

/// Returns `true` if the vendor describes latencies that are not below the required one.
fn excluded(bought: &Resolved, wanted: &Wanted) -> bool {
    let latency = wanted.latency.zip(bought.latency);
    latency.is_some_and(|(most, class)| most <= class.floor())
}

/// Returns an order of reasons: the larger, the less is missing.
fn nearness(reason: &Rejection) -> (u8, f64) {
    match reason {
        Rejection::Unpublished => (0, 0.0),
        Rejection::Latency { .. } => (1, 0.0),
        Rejection::Capacity { largest } => (2, largest.as_u64() as f64),
        Rejection::Cap { headroom } => (3, headroom.factor),
    }
}

/// Returns the space for all roles: each device counts once.
fn common_room(groups: &[Group]) -> Bytes {
    let said = groups.iter().any(|g| g.room.source == RoomSource::Said);
    let devices: BTreeMap<&String, &Bytes> = groups.iter().flat_map(|g| &g.devices).collect();
    let size: u64 = devices.values().map(|size| size.as_u64()).sum();
    if size > 0 && !said {
        return Bytes(size);
    }
    Bytes(groups.iter().map(|g| g.room.room.as_u64()).sum())
}

/// Sorts by price, the cheapest first, followed by those without a price in the order of the catalogue. Local disks come
/// last; if a latency is required, kinds without a described latency come after the others.
fn sort(layout: &mut PurchaseLayout, needs_latency: bool) {
    let key = |p: &Purchase| {
        let unknown = needs_latency && p.bought.iter().any(|b| b.latency.is_none());
        (p.is_local(), unknown, p.price.unwrap_or(f64::INFINITY))
    };
    for list in [&mut layout.carrying, &mut layout.holding] {
        list.compact_sort_by(|a, b| {
            let (a, b) = (key(a), key(b));
            (a.0, a.1).cmp(&(b.0, b.1)).then(a.2.total_cmp(&b.2))
        });
    }
}

#[cfg(test)]
mod tests;
