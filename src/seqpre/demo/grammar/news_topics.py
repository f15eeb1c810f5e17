"""The news of the demo: what happens, in which words, and what else stories tell.

A topic begins with `[name: topics of the sentences of the background]`. Below it:

    slot = a | b | c        what may be filled in, the most frequent first; `3..60` and `1.2..9.9` are numbers
    opening: ...            a sentence that may come before the news
    <point>: ... => ...     a key fact, as the story tells it (sentences separated by /) and as a highlight; every line
                            of a point says the same in other words. The first point is always told
    detail: ...             something else about the same event, no highlight
    other: ...              the same kind of fact about another event: `{other x}` differs from `{x}`

Slots that every topic has: town, rival (another town), country, day, month, year, company, person, and of the person
surname, he and his. `{a x}` is preceded by its article.
"""

# Made-up names are a stem and an ending: rare as wholes, familiar in their parts.
TOWN_STEMS = """
Brand Wester Lang Stein Eber Kirch Rosen Linden Hoch Ober Alten Neu Hammer Fried Kron Birken Eichen Erlen Falken
Oster Mar Sonnen Winter Sommer Gold Silber Hirsch Wolfs Adler Nieder Schwarzen Weiden
"""
TOWN_ENDINGS = "berg feld burg hausen stadt bach dorf heim hofen au wald see tal furt"
FAMILY_STEMS = "Alb Bern Carl Dorn Ebel Falk Gart Hald Jans Kell Lind Mart Nord Pell Rast Sand Tann Ulr Vogt Wend Zell"
FAMILY_ENDINGS = "er ing mann sen hoff ner ke"
COMPANY_STEMS = "Nord Hald Alpin Balt Meri Orion Delt Ventr Lum Cast Pol Rhen Teck Sol Arg Tem"
COMPANY_ENDINGS = "a o ex on is um"
SECTORS = "Foods Steel Motors Energy Pharma Airlines Software Textiles Chemicals Media"
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday"
MONTHS = "March June January October May September April November February July December August"

TOPICS = """
[accident: travel city]
vehicle = bus | lorry | train | coach | tram | minibus | van | tanker
hurt = 3..60
cause = black ice | thick fog | a burst tyre | faulty brakes | a fallen tree | a broken signal
hours = 2..12
opening: The morning had begun like any other for the people of {town}.
opening: Nobody in {town} will forget the sound.
opening: The fields around {town} were still dark when the first calls came in.
event: {a vehicle} with dozens of passengers left the road near {town} on {day}. \
/ {hurt} of them were taken to hospital. => {vehicle} crash near {town} leaves {hurt} injured
event: On {day}, {a vehicle} overturned on a bridge outside {town}. \
/ Doctors are treating {hurt} people for broken bones. => {hurt} people hurt as {vehicle} crashes near {town}
event: Near {town}, {a vehicle} ran into a wall on {day} evening. \
/ Rescue workers pulled {hurt} passengers from the wreck. => {hurt} injured in {vehicle} accident near {town}
why: A first look at the wreck points to {cause}, police said. => police blame {cause}
why: According to police, {cause} made the driver lose control. => {cause} caused the crash, say police
why: Inspector {person} told reporters that {cause} was the reason. => police say the reason was {cause}
road: The road will stay shut for another {hours} hours. => road closed for {hours} hours
road: Traffic has to take another way for the next {hours} hours, the town said. => traffic diverted for {hours} hours
road: It will take {hours} hours to clear the road. => {hours} hours needed to clear the road
detail: The driver, a man of 52, was not hurt.
detail: Firefighters had to cut open the roof.
detail: A helicopter landed on a nearby field.
detail: Neighbours brought blankets and hot tea.
detail: The {vehicle} was built in {year}.
other: In {month}, {a other vehicle} accident in {other town} left {other hurt} people injured.
other: {other hurt} passengers were hurt near {other town} two years ago when {a other vehicle} hit a barrier.
other: Last winter, {other cause} had closed the same road for {other hours} hours.
other: {other person}, who drove {a other vehicle} in {other town}, was fined last {other day}.

[storm: nature home]
storm = storm | flood | hailstorm | blizzard | thunderstorm | landslide
homes = 40..900
damage = 2..95
leave = 20..600
opening: For days the sky over {town} had been the colour of lead.
opening: The old people of {town} say they have never seen anything like it.
opening: It was the calm that worried the farmers.
event: {a storm} hit {town} on {day} night. / {homes} houses had no electricity by midnight. \
=> {storm} in {town} cuts power to {homes} homes
event: On {day}, {a storm} swept through the centre of {town}. / Power failed in {homes} households. \
=> {homes} homes in {town} without power after {storm}
event: People in {town} woke on {day} to the noise of {a storm}. / The lights went out in {homes} buildings. \
=> {storm} leaves {homes} homes in {town} in the dark
cost: Insurers put the damage at {damage} million euros. => damage of {damage} million euros
cost: Repairs will cost about {damage} million euros, mayor {person} said. => repairs to cost {damage} million euros
cost: The town expects a bill of {damage} million euros. => {town} faces bill of {damage} million euros
flight: {leave} residents spent the night in a school. => {leave} residents forced to leave
flight: Soldiers brought {leave} people to safety by boat. => {leave} people brought to safety
flight: By evening, {leave} men, women and children had left their houses. => {leave} people leave their houses
detail: Trees lay across the main street.
detail: The bell tower lost its roof.
detail: Schools will stay closed tomorrow.
detail: Mayor {person} visited the worst streets in rubber boots.
detail: Forecasters expect more rain at the weekend.
other: {a other storm} in {other town} had cut power to {other homes} homes in {month}.
other: The great {other storm} of {year} cost {other damage} million euros.
other: In {country}, {other leave} people had to leave their homes last {other day}.
other: {other town} was spared this time, said {other person}, who runs a weather station there.

[fire: home city]
building = factory | warehouse | school | hotel | theatre | market hall | farmhouse | library
firefighters = 20..240
hours = 3..30
loss = 1..40
opening: The smoke could be seen from thirty kilometres away.
opening: When the alarm rang, most of {town} was asleep.
opening: All that is left is a smell of wet ashes.
event: A fire destroyed {a building} in {town} on {day}. / {firefighters} firefighters were called out. \
=> {building} in {town} burns down
event: In {town}, {a building} went up in flames on {day} morning. \
/ It took {firefighters} firefighters to stop the blaze. => fire destroys {building} in {town}
event: Flames broke through the roof of {a building} in {town} late on {day}. \
/ {firefighters} men and women fought them. => {firefighters} firefighters called to burning {building} in {town}
length: The last flames were put out after {hours} hours. => fire put out after {hours} hours
length: It was {hours} hours before fire chief {person} could give the all-clear. \
=> crews fight flames for {hours} hours
length: The crews worked for {hours} hours without a break. => blaze lasts {hours} hours
loss: The owner, {company}, lost goods worth {loss} million euros. => {company} loses {loss} million euros
loss: For {company}, which owns it, the loss is {loss} million euros. => loss of {loss} million euros for {company}
loss: {company} said machines worth {loss} million euros were gone. => fire costs {company} {loss} million euros
detail: Nobody was inside.
detail: The cause is not yet known.
detail: Neighbours were told to keep their windows shut.
detail: Fire chief {person} praised the volunteers.
detail: The {building} was opened in {year}.
other: {a other building} in {other town} had burnt down in {month}, and {other firefighters} firefighters could \
not save it.
other: {other company} lost {other loss} million euros in a fire in {other town}.
other: A fire in {country} burnt for {other hours} hours last {other day}.
other: Three years ago, {other person} set fire to {a other building} in {other town}.

[strike: work travel]
workers = 200..9000
group = bus drivers | nurses | pilots | teachers | dockers | train drivers | bakers | postmen
rise = 2.5..9.5
days = 2..12
opening: The platforms were empty and the kiosks shut.
opening: It began with a letter that nobody answered.
opening: Outside the town hall of {town}, someone was playing a drum.
event: {workers} {group} in {town} stopped work on {day}. / They want {rise} per cent more pay. \
=> {group} in {town} strike for {rise} per cent more
event: In {town}, {workers} {group} walked out on {day}. / Their union demands a rise of {rise} per cent. \
=> {workers} {group} on strike in {town}
event: On {day}, not one of the {workers} {group} of {town} came to work. \
/ At issue is a rise of {rise} per cent. => strike by {group} in {town} over {rise} per cent rise
length: The strike will last at least {days} days, the union said. => strike to last {days} days
length: Union leader {person} spoke of {days} days without work. => union plans {days} days of strike
length: Nothing will move for {days} days. => {days} days of standstill expected
answer: {company} refused to talk and called the demand absurd. => {company} rejects demand
answer: At {company}, the employer, nobody is willing to give way. => {company} refuses to give way
answer: The managers of {company} said there was no money. => no money for a rise, says {company}
detail: Many people walked to work.
detail: Hotels and shops complained about empty rooms.
detail: The last pay rise was in {year}.
detail: Union leader {person} was cheered when {he} spoke.
detail: Students brought soup and bread.
other: In {other town}, {other group} had won {other rise} per cent in {month}.
other: {other workers} {other group} in {country} went back to work last {other day}.
other: {other company} agreed to a rise of {other rise} per cent after a strike of {other days} days.
other: {other person}, who led the {other group} of {other town}, has retired.

[results: economy technology]
profit = 12..960
change = 3..48
way = rose | fell
jobs = 50..4000
sales = 1.2..9.8
opening: Shareholders arrived early and left in silence.
opening: It was a short press conference.
opening: For months there had been rumours in {town}.
event: {company} said on {day} that its profit {way} by {change} per cent. / It earned {profit} million euros. \
=> profit of {company} {way} {change} per cent
event: The profit of {company} {way} by {change} per cent last year, the firm said on {day}. \
/ That makes {profit} million euros. => {company} profit {way} to {profit} million euros
event: On {day}, {company} presented its figures. \
/ Profit {way} by {change} per cent and came to {profit} million euros. => {company} earns {profit} million euros
jobs: The firm will close its plant in {town} and dismiss {jobs} people. => {jobs} jobs to go in {town}
jobs: {jobs} employees in {town} will lose their jobs. => {company} cuts {jobs} jobs in {town}
jobs: In {town}, {jobs} workers have to look for something new. => {jobs} workers in {town} to be dismissed
boss: {person} will become head of the company in {month}. => {person} to lead {company}
boss: From {month} on, {person} will run the business. => {person} new head of {company}
boss: The board chose {person} as chief executive. => {company} names {person} chief executive
detail: Sales came to {sales} billion euros.
detail: The shares had been weak for weeks.
detail: The firm was founded in {year}.
detail: Analysts had expected more.
detail: {surname}, 47, studied physics.
other: Its rival {other company} had earned {other profit} million euros.
other: At {other company}, profit had changed by {other change} per cent.
other: {other company} dismissed {other jobs} people in {other town} in {other month}.
other: {other person} left {other company} last {other day}.

[match: sport city]
goals = 2..6
crowd = 4000..60000
place = first | second | third | fourth | fifth | last
weeks = 2..14
opening: Half an hour before the game it was still raining.
opening: There was a queue at every gate.
opening: Some had slept in their cars to be there.
event: {town} beat {rival} on {day} and scored {goals} goals. / {crowd} people watched the game. \
=> {town} beat {rival} with {goals} goals
event: With {goals} goals, {town} won against {rival} on {day}. / The stadium held {crowd} spectators. \
=> {town} win against {rival}
event: {rival} lost to {town} on {day}, and {goals} times the home crowd rose to its feet. / {crowd} had come. \
=> {rival} lose to {town} before {crowd} spectators
table: The team is now {place} in the table. => {town} now {place}
table: That puts the side in {place} place. => {place} place for {town}
table: In the league, {town} are {place} tonight. => {town} {place} in the league
injury: Striker {person} hurt {his} knee and will be out for {weeks} weeks. => {surname} out for {weeks} weeks
injury: {person} had to be carried off, and will miss {weeks} weeks. => {surname} misses {weeks} weeks with injury
injury: For {weeks} weeks, the team must do without {person}, whose foot is broken. \
=> injured {surname} out {weeks} weeks
detail: The referee showed two red cards.
detail: The first goal came from a corner.
detail: The pitch was heavy.
detail: The club was founded in {year}.
detail: The coach said he was proud.
other: A week earlier, {other town} had lost at home before {other crowd} people.
other: {other person} of {other town} had been out for {other weeks} weeks.
other: {other town}, who are {other place}, play next {other day}.
other: In {month}, the same teams drew.

[election: politics work]
party = Liberals | Greens | Socialists | Conservatives | Farmers' Party | Reform Party
share = 31.2..58.9
turnout = 42..81
plan = a new bridge | cheaper flats | free kindergartens | lower taxes | a clean river | a night bus
opening: The last ballot box came by boat.
opening: At the Golden Lion they had stopped serving beer to count.
opening: It rained all day, and still they came.
event: {person} won the election for mayor of {town} on {day}. / {share} per cent were for the {party}. \
=> {person} elected mayor of {town}
event: {town} has a new mayor. / With {share} per cent of the votes, {person} of the {party} won on {day}. \
=> {town} elects {person} mayor
event: The people of {town} chose {person} as their mayor on {day}. / {share} per cent voted for the {party}. \
=> {party} win {town} with {share} per cent
turnout: {turnout} per cent of the voters took part. => turnout at {turnout} per cent
turnout: Turnout was {turnout} per cent. => {turnout} per cent vote
turnout: Only the rest stayed at home: {turnout} per cent went to vote. => {turnout} per cent go to the polls
plan: {surname} promised {plan}. => {surname} promises {plan}
plan: In the campaign {he} had spoken of {plan}. => new mayor wants {plan}
plan: What comes first, the winner said, is {plan}. => {plan} comes first, says {surname}
detail: The loser congratulated by telephone.
detail: Fireworks lit up the market square.
detail: {surname} has three children.
detail: The last mayor had been in office since {year}.
detail: Counting took until midnight.
other: In {other town}, the {other party} had won {other share} per cent in {month}.
other: Turnout in {country} had been {other turnout} per cent.
other: {other person} lost the office in {other town} last {other day}.
other: The {other party} had promised {other plan} and lost.

[discovery: science nature]
thing = frog | moth | orchid | crab | fossil | beetle | mushroom | bat
size = 2..90
depth = 40..4000
grant = 1.1..8.9
opening: It looked like a stone.
opening: The best discoveries are made on the way home.
opening: At first nobody believed the photograph.
event: Researchers from {town} have found an unknown {thing} in {country}. / It is {size} millimetres long. \
=> unknown {thing} found in {country}
event: In {country}, a team from {town} has come across {a thing} that no book describes. \
/ It measures {size} millimetres. => team from {town} finds new {thing}
event: {a thing} of {size} millimetres is the find of the year for biologists from {town}. \
/ They met it in {country}. => {size} millimetre {thing} discovered in {country}
place: It lives {depth} metres below the ground. => it lives {depth} metres deep
place: The place is a cave at a depth of {depth} metres. => found at {depth} metres
place: To see it, one must go down {depth} metres. => {thing} hidden {depth} metres down
money: {company} will pay {grant} million euros for further work. => {company} gives {grant} million euros
money: The next journey is paid for by {company}, with {grant} million euros. => {company} pays for next journey
money: {person}, who leads the team, has {grant} million euros from {company}. => {grant} million euros for research
detail: The university of {town} was founded in {year}.
detail: It will be named after the cook of the expedition.
detail: {person} has worked on the question for ten years.
detail: The results appear in a journal this week.
detail: Two students slept in a tent beside it.
other: {a other thing} had been found in {other country} in {month}.
other: A team from {other town} went down {other depth} metres and found nothing.
other: {other company} had offered {other grant} million euros for {a other thing}.
other: {other person} of {other town} has doubts.
"""
