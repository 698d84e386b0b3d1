//! Purchase for a recorded demand: the smallest offer of each kind that carries it second by second
//! (docs/design/limits.md, "A recorded demand").
//!
//! | file | contents |
//! |---|---|
//! | `load` | requests -> seconds, as charged by each way of counting |
//! | `queue` | simulation of limits and buckets, second by second |
//! | `terms` | does an offer carry the demand, on which terms |
//! | `mod` | kinds, layouts, instances |

mod load;
mod queue;
mod terms;

pub use terms::PurchaseTerms;

use crate::catalog::row::Volume;
use crate::catalog::solve::{choices, plainest, smallest, weight};
use crate::catalog::{Catalog, ResolveError, Resolved};
use load::{Countings, Load, LoadBuilder};
use messages::sentence;
use model::judged::{BoughtVolume, Demand, Purchase, PurchaseLayout, Purchases, RoleRoom, RoomSource};
use model::recording::{RecordedRequest, RecordedTarget};
use model::{Bytes, Caveat, CompactSort, Limit, Nanos, Severity, plan::UNMAPPED};
use std::collections::{BTreeMap, BTreeSet};
use terms::{Asked, served};

/// Maximum number of roles, or files, for which a layout with a volume each is computed.
const MOST_APART: usize = 16;

/// Takes requests in the order of their issue, and keeps their charges second by second, for every way of counting in a
/// catalogue.
#[derive(Debug)]
pub struct PurchaseBuilder(LoadBuilder);

/// Parameters of a purchase.
#[derive(Debug, Clone)]
pub struct PurchaseRequest<'a> {
    /// Terms of the purchase.
    pub terms: PurchaseTerms,
    /// Allowed providers; empty = all.
    pub providers: &'a [String],
    /// Instance that the volumes are attached to.
    pub instance: Option<&'a str>,
    /// Volumes to try in addition to those found.
    pub volumes: &'a [String],
    /// Space for all roles on one volume.
    pub room: Option<Bytes>,
    /// Space for single roles.
    pub rooms: &'a [(String, Bytes)],
}

/// Requests of one or several roles, and the space they need.
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

struct Search<'a> {
    catalog: &'a Catalog,
    request: &'a PurchaseRequest<'a>,
    countings: &'a Countings,
    period: u64,
    instance: Option<Resolved>,
}

impl PurchaseBuilder {
    /// Creates a builder with the ways of counting of this catalogue.
    #[must_use]
    pub fn new(catalog: &Catalog) -> Self {
        let volumes = catalog.volumes.iter().map(|v| v.charging);
        let chargings = volumes.chain(catalog.instances.iter().map(|i| i.charging));
        PurchaseBuilder(LoadBuilder::new(Countings::from_all(chargings)))
    }

    /// Takes the next request.
    pub fn add(&mut self, request: &RecordedRequest) {
        self.0.add(request);
    }

    /// Returns the possible purchases for the requests. `demand` describes the same requests; `targets` are all targets
    /// of the recording.
    ///
    /// # Errors
    /// Returns an error if the instance, or a volume to try, is not in the catalogue; the error names the nearest one.
    pub fn solve(
        self,
        catalog: &Catalog,
        demand: &Demand,
        targets: &[RecordedTarget],
        request: &PurchaseRequest,
    ) -> Result<Purchases, ResolveError> {
        let (countings, loads) = self.0.finish();
        let last = loads.values().filter_map(|l| l.seconds.last()).max().copied().unwrap_or(0);
        let period = demand.length.as_nanos().div_ceil(1_000_000_000).max(u64::from(last) + 1);
        let instance = request.instance.map(|name| catalog.resolve_instance(name)).transpose()?;
        let search = Search { catalog, request, countings: &countings, period, instance };
        search.purchases(demand, groups(loads, &countings, demand, targets))
    }
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

impl Search<'_> {
    fn purchases(&self, demand: &Demand, mut groups: Vec<Group>) -> Result<Purchases, ResolveError> {
        let request = self.request;
        for group in &mut groups {
            if let Some((_, room)) = request.rooms.iter().find(|(role, _)| *role == group.room.role) {
                (group.room.room, group.room.source) = (*room, RoomSource::Said);
            }
        }
        let room = request.room.unwrap_or_else(|| common_room(&groups));
        let sum = Load::sum(groups.iter().map(|g| &g.load), self.countings.stride());
        let asked = self.asked(&sum);
        let together = self.together(&asked, room)?;
        let apart = (2..=MOST_APART).contains(&groups.len()).then(|| self.apart(&groups));
        let named = self.instance.as_ref().map(|bought| self.bought(&[bought], &[&sum], &[]));
        let instances = if named.is_none() { self.instances(&asked) } else { Vec::new() };
        let mut doubts = demand.doubts.clone();
        // Capacity for requests that the page cache answers would be wasted.
        let above = doubts.iter_mut().filter(|doubt| doubt.id == "recording-above-cache");
        above.for_each(|doubt| doubt.severity = Severity::Doubt);
        doubts.extend(self.doubts(&together, room, groups.len()));
        Ok(Purchases {
            length: demand.length,
            headroom: request.terms.headroom,
            wait: Nanos::from_secs(request.terms.wait),
            lasting: request.terms.lasting.map(Nanos::from_secs),
            credits: request.terms.credits,
            roles: groups.into_iter().map(|g| g.room).collect(),
            room,
            instance: named,
            together,
            apart,
            instances,
            doubts,
        })
    }

    fn asked<'a>(&'a self, load: &'a Load) -> Asked<'a> {
        Asked::new(load, self.countings, self.period)
    }

    /// Returns the volumes with known sizes of the allowed providers; with an instance, only those of its provider.
    fn volumes(&self) -> impl Iterator<Item = &Volume> {
        let provider = self.instance.as_ref().and_then(|i| i.row.split_once('/')).map(|(provider, _)| provider);
        let providers = self.request.providers;
        self.catalog.volumes.iter().filter(move |v| {
            let sold = providers.is_empty() || providers.contains(&v.provider);
            sold && provider.is_none_or(|p| p == v.provider) && !v.local && v.size != (None, None)
        })
    }

    /// Returns the result of `choose` for each kind, and for each rung of a ladder unless a lower rung is enough.
    fn each_kind(&self, choose: impl Fn(&Volume, &str) -> Option<Resolved>) -> Vec<Found> {
        let mut offers: Vec<Found> = Vec::new();
        let mut sold: Vec<(String, Vec<Limit>)> = Vec::new();
        for volume in self.volumes() {
            for parameters in choices(volume) {
                let kind = match volume.rung {
                    true => format!("{}/{}", volume.provider, volume.title),
                    false => format!("{}{parameters}", volume.name()),
                };
                if offers.iter().any(|f| f.kind == kind) {
                    continue;
                }
                let Some(bought) = choose(volume, &parameters) else { continue };
                // The same offer under another name is left out.
                let same = (format!("{}/{}", volume.provider, volume.title), nameless(&bought.limits));
                if !sold.contains(&same) {
                    sold.push(same);
                    offers.push(Found { kind, bought });
                }
            }
        }
        offers
    }

    /// Returns the smallest offer of each kind that carries a demand by itself and has enough space.
    fn carrying(&self, asked: &Asked, room: Bytes) -> Vec<Found> {
        let meets =
            |bought: &Resolved| asked.known(&bought.limits) && asked.carried(&bought.limits, &self.request.terms);
        self.each_kind(|volume, parameters| smallest(self.catalog, volume, parameters, Some(room), &meets))
    }

    fn together(&self, asked: &Asked, room: Bytes) -> Result<PurchaseLayout, ResolveError> {
        let mut layout = PurchaseLayout::default();
        for found in self.carrying(asked, room) {
            layout.carrying.push(self.bought(&[&found.bought], &[asked.load], &[]));
        }
        // Offers with enough space and nothing more.
        let plain = self.each_kind(|volume, parameters| {
            let bought = plainest(self.catalog, volume, parameters, Some(room))?;
            (asked.known(&bought.limits) && !asked.carried(&bought.limits, &self.request.terms)).then_some(bought)
        });
        layout.holding = plain.iter().map(|found| self.bought(&[&found.bought], &[asked.load], &[])).collect();
        for text in self.request.volumes {
            let bought = self.catalog.resolve_volume(text)?;
            let tried = self.bought(&[&bought], &[asked.load], &[]);
            if tried.carries { layout.carrying.insert(0, tried) } else { layout.holding.insert(0, tried) }
        }
        sort(&mut layout);
        Ok(layout)
    }

    /// Returns layouts with a volume for each role: all of one kind, and the cheapest for each role.
    fn apart(&self, groups: &[Group]) -> PurchaseLayout {
        let offers: Vec<Vec<Found>> = groups.iter().map(|g| self.carrying(&self.asked(&g.load), g.room.room)).collect();
        let loads: Vec<&Load> = groups.iter().map(|g| &g.load).collect();
        let roles: Vec<String> = groups.iter().map(|g| g.room.role.clone()).collect();
        let mut layout = PurchaseLayout::default();
        let kinds: BTreeSet<&str> = offers.iter().flatten().map(|f| f.kind.as_str()).collect();
        for kind in kinds {
            let volumes: Option<Vec<&Resolved>> =
                offers.iter().map(|f| f.iter().find(|f| f.kind == kind).map(|f| &f.bought)).collect();
            layout.carrying.extend(volumes.map(|volumes| self.bought(&volumes, &loads, &roles)));
        }
        let amount = |bought: &Resolved| bought.price.as_ref().map(|p| p.amount);
        let cheapest: Option<Vec<&Resolved>> = offers
            .iter()
            .map(|f| {
                let priced = f.iter().filter_map(|f| Some((amount(&f.bought)?, &f.bought)));
                priced.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, bought)| bought)
            })
            .collect();
        if let Some(mixed) = cheapest.map(|own| self.bought(&own, &loads, &roles)) {
            let rows = |p: &Purchase| p.bought.iter().map(|b| b.row.clone()).collect::<Vec<_>>();
            if layout.carrying.iter().all(|p| rows(p) != rows(&mixed)) {
                layout.carrying.push(mixed);
            }
        }
        sort(&mut layout);
        layout
    }

    /// Returns a purchase with the service that it would have provided together with the named instance.
    fn bought(&self, bought: &[&Resolved], loads: &[&Load], roles: &[String]) -> Purchase {
        let several = bought.len() > 1;
        let mut limits: Vec<(Option<usize>, &Limit)> = Vec::new();
        for (at, bought) in bought.iter().enumerate() {
            limits.extend(bought.limits.iter().map(|l| (several.then_some(at), l)));
        }
        let instance = self.instance.as_ref().filter(|i| !bought.iter().any(|b| std::ptr::eq(*b, *i) || b.local));
        limits.extend(instance.into_iter().flat_map(|i| &i.limits).map(|l| (None, l)));
        let (served, carries) = served(loads, self.countings, self.period, &limits, &self.request.terms);
        let bought = bought.iter().enumerate().map(|(at, bought)| BoughtVolume {
            roles: roles.get(at).into_iter().cloned().collect(),
            row: bought.row.clone(),
            price: bought.price.clone(),
            source: bought.origin.source.clone(),
            date: bought.origin.date.clone(),
        });
        Purchase::new(bought.collect(), served, carries)
    }

    /// Returns the smallest instance of each family that carries the demand, the smallest first.
    fn instances(&self, asked: &Asked) -> Vec<Purchase> {
        let providers = self.request.providers;
        let offered = self.catalog.instances.iter().filter(|i| i.offered);
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
            let Ok(bought) = self.catalog.resolve_instance(&instance.name()) else { continue };
            if asked.known(&bought.limits) && asked.carried(&bought.limits, &self.request.terms) {
                families.insert(family);
                offers.push(self.bought(&[&bought], &[asked.load], &[]));
            }
        }
        offers
    }

    fn doubts(&self, together: &PurchaseLayout, room: Bytes, roles: usize) -> Vec<Caveat> {
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
        if self.request.room.is_none() && room.is_zero() {
            let seen = sentence!("purchase-no-room-seen");
            let doubt = Caveat::new("room-unknown", Severity::Doubt, sentence!("purchase-no-room"), seen);
            doubts.push(doubt.remedy(sentence!("purchase-no-room-remedy")));
        }
        doubts
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

/// Returns the limits without the fields that distinguish names.
fn nameless(limits: &[Limit]) -> Vec<Limit> {
    let source = model::bounds::LimitSource::Declared(String::new());
    limits.iter().map(|l| Limit { name: String::new(), source: source.clone(), ..l.clone() }).collect()
}

/// Sorts by price, the cheapest first, followed by those without a price in the order of the catalogue.
fn sort(layout: &mut PurchaseLayout) {
    let price = |p: &Purchase| p.price.unwrap_or(f64::INFINITY);
    for list in [&mut layout.carrying, &mut layout.holding] {
        list.compact_sort_by(|a, b| price(a).total_cmp(&price(b)));
    }
}

#[cfg(test)]
mod tests;
