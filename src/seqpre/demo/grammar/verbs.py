"""The verbs, as a table that `tables` reads: what each means to both languages and which nouns go with it.

`english | german | subject | complements | flags`

* English: base [past [participle]] [+particle]; regular forms are left out.
* German: [sich] [prefix+]infinitive [[er-form] preterite participle][*]; a weak verb needs only its infinitive, `*`
  takes `sein`.
* Subject and complements name kinds of nouns (`nouns`), groups (`GROUPS`) or single nouns, joined by commas.
* A complement is `german>english:nouns`. German: a case (`acc`, `dat`), a preposition with its case (`auf+acc`), `at`
  (where: the place has its own preposition), `to` (the way there) or `bare` (no article; `the` in English). English: a
  preposition or nothing. `?` in front makes it optional.
* Flags: p allows "where", c company ("with her friend"), q quick/slow/careful, v loud/quiet, g "likes to", s a state
  (no progressive, no times), x no passive, h never habitual, u not done on purpose.
"""

# A group may contain the groups above it.
GROUPS = {
    "human": "relative person",
    "food": "fruit dish foodstuff",
    "creature": "pet animal",
    "anyanimal": "pet animal beast",
    "place": "building outdoors",
    "destination": "building outdoors stop",
    "thing": "tool toy vessel clothing",
    "furniture": "surface seat",
    "goods": "tool toy vessel clothing text food device furniture",
    "official": "minister president politician chancellor mayor government ambassador",
    "owned": "pet thing text vehicle device furniture room paper idea picture bodypart",
    "firm": "organisation entrepreneur manager",
    "thinker": "scientist researcher physicist biologist chemist historian inventor",
    "techie": "programmer developer technician engineer user",
}

VERBS = """
# home
see saw seen | sehen sieht sah gesehen | human | acc:human,anyanimal,vehicle,tool,picture | psx
have had | haben | human | acc:pet,vehicle,tool,device,idea,toy | sx
look | suchen | human | acc>for:thing,pet,relative | p
buy bought | kaufen | human | acc:clothing,food,tool,device,vehicle,text | pgc
live | wohnen | human | at:dwelling,city | scx
know knew known | kennen kannte gekannt | human | acc:human,place,city,text,song | sx
need | brauchen | human | acc:tool,vehicle,vessel,clothing,device,medicine | sx
find found | finden fand gefunden | human | acc:thing,pet,text | ph
like | mögen mag mochte gemocht | human | acc:human,creature,food,drink,song,city,sport | sx
visit | besuchen | human | acc:human,city,building | cg
help | helfen hilft half geholfen | human | dat:human | pg
wait | warten | human | auf+acc>for:human,transport | p
sleep slept | schlafen schläft schlief geschlafen | human,creature | at:room,dwelling | gx
open | öffnen | human | acc:opening,suitcase,letter,bottle,bag | q
give gave given | geben gibt gab gegeben | human | dat:human acc:tool,toy,text,fruit | x
bring brought | bringen brachte gebracht | human | dat:human acc:drink,tool,food,text | x
put put | stellen | human | acc:vessel,lamp,radio auf+acc>on:surface | qx
put put | legen | human | acc:tool,text,toy,fruit auf+acc>on:furniture | qx
lose lost | verlieren verliert verlor verloren | human | acc:tool,toy,clothing | phu
love | lieben | human | acc:human,pet,city,song | s
play | spielen | child,girl,boy,dog,cat | mit+dat>with:toy,pet | pg
sit sat | sitzen sitzt saß gesessen | human,pet | auf+dat>on:chair,sofa,bench | gx
wash | waschen wäscht wusch gewaschen | human | acc:clothing,vehicle,fruit | pq
read read | lesen liest las gelesen | human | ?acc:text | pgqc
wear wore worn | tragen trägt trug getragen | human | acc:clothing | g
carry | tragen trägt trug getragen | human | acc:tool,vessel,furniture to:room,dwelling | qx
close | schließen schließt schloss geschlossen | human | acc:opening,suitcase,drawer | q
clean | putzen | human | acc:room,window,surface,shoe | q
tidy +up | auf+räumen | human | acc:room | q
get got +up | auf+stehen steht stand gestanden* | human | | x
turn +on | ein+schalten | human | acc:device | h
turn +off | aus+schalten | human | acc:device | h
call | an+rufen ruft rief gerufen | human | acc:human |
invite | ein+laden lädt lud geladen | human | acc:human | g
thank | danken | human | dat:human | x
show showed shown | zeigen | human | dat:human acc:picture,text,room,clothing,house | x
tell told | erzählen | human | dat:human acc:story,fairy tale,secret | gx
lie lay lain | liegen liegt lag gelegen | tool,toy,text | auf+dat>on:surface,bed,sofa | sx
stand stood | stehen steht stand gestanden | vessel,lamp | auf+dat>on:surface | sx
belong | gehören | tool,vehicle,toy,house,clothing | dat>to:human | sx
put put +on | an+ziehen zieht zog gezogen | human | acc:clothing | qx
take took taken +off | aus+ziehen zieht zog gezogen | human | acc:clothing | qx
lend lent | leihen leiht lieh geliehen | human | dat:human acc:tool,text,vehicle | x
forget forgot forgotten | vergessen vergisst vergaß vergessen | human | acc:tool,birthday,appointment,clothing | hu
hide hid hidden | verstecken | human,pet | acc:thing | p
remember | sich erinnern | human | an+acc>:human,song,story,journey | s
laugh | lachen | human | über+acc>about:story,mistake | vgx
miss | vermissen | human | acc:human,pet | s
paint | streichen streicht strich gestrichen | human | acc:room,door,furniture | q
watch +television | fern+sehen sieht sah gesehen | human | | gcx
# food
eat ate eaten | essen isst aß gegessen | human,pet | acc:fruit,dish,foodstuff | pgq
drink drank drunk | trinken trinkt trank getrunken | human | acc:drink | pgqc
cook | kochen | human | acc:soup,egg,potato,fish,rice | pgc
bake | backen backt backte gebacken | human | acc:cake,bread,biscuit,pizza | gc
order | bestellen | human | acc:drink,dish | p
cut cut | schneiden schneidet schnitt geschnitten | human | acc:fruit,bread,cheese,cake,meat | q
taste | probieren | human | acc:dish,foodstuff,drink | p
pay paid | bezahlen | human | acc>for:drink,dish,ticket |
peel | schälen | human | acc:apple,potato,orange,onion,carrot,pear| q
serve | servieren | waiter,waitress,cook,baker | acc:dish,drink |
fry | braten brät briet gebraten | human | acc:fish,meat,egg,sausage,mushroom | p
# city
meet met | treffen trifft traf getroffen | human | acc:human | p
go went gone | gehen geht ging gegangen* | human | to:building,park,market,zoo,playground,forest,beach | cx
work | arbeiten | person | at:building,office,workshop | gx
sell sold | verkaufen | person | acc:goods,vehicle | p
park | parken | human | acc:car,lorry,motorcycle at:street,square,garage | qx
cross | überqueren | human | acc:street,bridge,square | q
rent | mieten | human | acc:flat,car,boat,house |
build built | bauen | human,company | acc:house,bridge,church,school,hotel,boat |
arrest | verhaften | police officer | acc:person | ph
ask | fragen | human | acc:human |
search | durchsuchen | police officer | acc:dwelling,suitcase,vehicle,bag | q
# school
learn | lernen | child,girl,boy,pupil,student,relative | acc:subject | cg
teach taught | unterrichten | teacher,professor | acc:subject | gx
write wrote written | schreiben schreibt schrieb geschrieben | human | acc:letter,email,story,poem,book,report | pg
understand understood | verstehen versteht verstand verstanden | human | acc:idea,text,human | s
explain | erklären | human | acc:idea,text dat>to:human | xq
answer | beantworten | human | acc:question,letter,message,email | q
study | studieren | student,relative | acc:subject | gx
pass | bestehen besteht bestand bestanden | pupil,student,relative,boy,girl | acc:exam | h
draw drew drawn | zeichnen | human | acc:tree,animal,house,flower | pgq
repeat | wiederholen | human | acc:question,sentence,answer,exam | h
correct | korrigieren | teacher,professor | acc:mistake,text,exam | q
# travel
drive drove driven | fahren fährt fuhr gefahren* | human | to:destination,city | cqgx
travel | reisen* | human | to:city,country | cgx
fly flew flown | fliegen fliegt flog geflogen* | human | to:city,country | cgx
arrive | an+kommen kommt kam gekommen* | human,transport | at:stop,city,hotel | x
stay | bleiben bleibt blieb geblieben* | human | at:dwelling,city,room,building | gx
leave left | ab+fahren fährt fuhr gefahren* | train,bus,tram,ship,ferry | | x
get got +on | ein+steigen steigt stieg gestiegen* | human | in+acc>:bus,train,tram | hx
get got +off | aus+steigen steigt stieg gestiegen* | human | aus+dat>:bus,train,tram | hx
miss | verpassen | human | acc:transport,flight | hu
book | buchen | human | acc:flight,hotel,journey | h
pack | packen | human | acc:suitcase,backpack,bag | q
come came come +back | zurück+kommen kommt kam gekommen* | human | aus+dat>from:city,country,dwelling | x
look +forward | sich freuen | human | auf+acc>to:journey,party,excursion,birthday,concert | xu
repair | reparieren | human | acc:vehicle,device,toy | qp
stop | halten hält hielt gehalten | transport | at:station,bus stop,border | x
steal stole stolen | stehlen stiehlt stahl gestohlen | human | acc:tool,vehicle,picture | ph
explore | erkunden | human | acc:city,island,cave,castle | cg
photograph | fotografieren | human | acc:human,anyanimal,building,plant | pg
# nature
feed fed | füttern | human | acc:anyanimal | pgc
run ran run | rennen rennt rannte gerannt* | human,creature | durch+acc>through:park,forest,room,street,meadow | gx
grow grew grown | wachsen wächst wuchs gewachsen* | plant | at:garden,park,forest,meadow,mountain | sx
plant | pflanzen | human | acc:plant | pgc
water | gießen gießt goss gegossen | human | acc:plant | q
bark | bellen | dog | | pvx
swim swam swum | schwimmen schwamm geschwommen* | human,duck,goose,frog | in+dat>in:lake,river,sea,swimming pool | cgx
pick | pflücken | human | acc:apple,flower,cherry,rose,strawberry,plum | pgc
bite bit bitten | beißen beißt biss gebissen | dog,snake,donkey | acc:human | h
catch caught | fangen fängt fing gefangen | cat,fox,bear,eagle,owl,human | acc:mouse,bird,fish,rabbit,frog | ph
watch | beobachten | human | acc:anyanimal,human | pgc
climb | klettern* | cat,squirrel,monkey,boy,girl,bear,child | auf+acc>:tree,fir tree,oak | qx
bloom | blühen | flower,rose,tulip,sunflower | at:garden,park,meadow | sx
hunt | jagen | wolf,lion,tiger,fox,eagle | acc:animal | x
hike | wandern* | human | durch+acc>through:forest,valley,desert | cgx
protect | schützen | human,organisation| acc:anyanimal,forest,coast,sea |
save | retten | human | acc:human,anyanimal | h
# health
examine | untersuchen | doctor,dentist,nurse,surgeon | acc:human | q
suffer | leiden leidet litt gelitten | human | an+dat>from:illness | sx
treat | behandeln | doctor,nurse,surgeon | acc:human,illness |
take took taken | ein+nehmen nimmt nahm genommen | human | acc:medicine | x
recover | sich erholen | human | von+dat>from:illness,operation | x
hurt hurt | weh+tun tut tat getan | bodypart | | sx
prescribe | verschreiben verschreibt verschrieb verschrieben | doctor | dat:human acc:medicine | x
look +after | pflegen | nurse,relative | acc:human,creature |
# work
talk | sprechen spricht sprach gesprochen | human | mit+dat>with:human | pvgx
discuss | besprechen bespricht besprach besprochen | human,organisation | acc:plan,project,problem,proposal,report | c
plan | planen | human,organisation| acc:event,project |
send sent | schicken | human | dat:human acc:text,paper,flower | x
sign | unterschreiben unterschreibt unterschrieb unterschrieben | human | acc:paper | h
solve | lösen | human | acc:problem,task | q
complain | sich beschweren | human | über+acc>about:person,decision,bill,price | vx
hire | ein+stellen | boss,company,organisation | acc:person | h
prepare | vor+bereiten | human | acc:event,speech,report | q
cancel | ab+sagen | human,organisation| acc:event | h
finish | beenden | human | acc:event,project,text | h
recommend | empfehlen empfiehlt empfahl empfohlen | human | acc:hotel,text,restaurant,film,medicine dat>to:human | x
translate | übersetzen | human | acc:text,paper | q
think thought | nach+denken denkt dachte gedacht | human | über+acc>about:problem,question,proposal,decision | x
print | aus+drucken | human | acc:text,paper,ticket,photo | h
agree | zu+stimmen | human,organisation| dat>to:proposal,plan,law,agreement | hx
dismiss | entlassen entlässt entließ entlassen | boss,organisation | acc:worker,engineer,manager,minister,coach | h
# sport
play | spielen | human | acc:sport | pgcx
win won | gewinnen gewann gewonnen | team,club,player,athlete,girl,boy | acc:game,race,tournament,championship | h
train | trainieren | team,athlete,player,goalkeeper,cyclist | at:stadium,gym,park | gx
throw threw thrown | werfen wirft warf geworfen | human | acc:ball | qx
take took taken +part | teil+nehmen nimmt nahm genommen | human,team | an+dat>in:event | x
criticise | kritisieren | human,organisation| acc:person,decision,organisation,law | v
celebrate | feiern | human,team | acc:birthday,wedding,winner | gpc
lose lost | verlieren verliert verlor verloren | team,player,club | acc:game,race,tournament | hxu
# culture
sing sang sung | singen singt sang gesungen | human | ?acc:song | pvgc
play | spielen | human | bare:instrument | pgx
dance | tanzen | human | | pgcx
listen | zu+hören | human | dat>to:human,orchestra,choir | pgx
paint | malen | human | acc:picture,flower,horse,house | pgq
look | betrachten | human | acc>at:picture,star,anyanimal | p
admire | bewundern | human | acc:picture,singer,actress,artist,painter,building | s
publish | veröffentlichen | author,poet,journalist,organisation | acc:novel,article,text | h
compose | komponieren | composer,musician,singer | acc:song,opera |
perform | auf+führen | orchestra,choir,dancer,actress | acc:play,opera,song |
# politics
support | unterstützen | human,organisation| acc:plan,proposal,reform,person,organisation,law |
announce | an+kündigen | official,organisation | acc:reform,event,law,decision,sanction | h
demand | fordern | person,organisation | acc:reform,decision,solution,law | v
reject | ab+lehnen | official,organisation,judge | acc:proposal,law,reform,plan,agreement | h
accept | an+nehmen nimmt nahm genommen | official,organisation | acc:proposal,law,agreement | h
elect | wählen | citizen,voter,organisation | acc:president,chancellor,mayor | h
resign | zurück+treten tritt trat getreten* | minister,president,chancellor,mayor | | hx
protest | protestieren | citizen,worker,farmer,student | gegen+acc>against:reform,law,government,decision,tax | pvx
warn | warnen | expert,minister,organisation,scientist | vor+dat>of:crisis,conflict,mistake,strike | x
negotiate | verhandeln | official,organisation | mit+dat>with:organisation,person | x
interview | interviewen | journalist | acc:person | p
change | ändern | official,organisation | acc:law,rule,plan | q
convict | verurteilen | judge,court | acc:politician,soldier,manager,hacker,demonstrator | h
question | befragen | judge,committee,journalist,police officer | acc:witness,expert,minister | q
# economy
invest | investieren | firm,investor | in+acc>in:technology,project,company,start-up | x
increase | erhöhen | firm,government,central bank | acc:quantity | h
reduce | senken | firm,government,central bank | acc:quantity | h
found | gründen | entrepreneur,human| acc:company,club,trade union,start-up | h
produce | her+stellen | firm | acc:device,vehicle,medicine,vaccine |
take took taken +over | übernehmen übernimmt übernahm übernommen | firm,investor | acc:company,start-up,supplier | h
import | importieren | firm,trader | acc:fruit,drink,device,vehicle |
deliver | liefern | firm,supplier | acc:device,furniture,vehicle | q
agree | sich einigen | trade union,government,committee | auf+acc>on:agreement,reform,budget,solution | hx
examine | prüfen | expert,authority,court | acc:paper,budget,plan,price | q
# science
discover | entdecken | thinker | acc:substance,method | h
research | erforschen | thinker | acc:substance,beast,desert,illness |
invent | erfinden erfindet erfand erfunden | thinker,engineer | acc:machine,robot,method,engine | h
develop | entwickeln | thinker,firm | acc:vaccine,method,theory,software,device|
prove proved proven | beweisen beweist bewies bewiesen | thinker | acc:theory,hypothesis | h
measure | messen misst maß gemessen | thinker,engineer | acc:result,cell,molecule,planet | q
present | vor+stellen | thinker,firm | acc:result,discovery,study,invention,project | h
observe | beobachten | thinker | acc:star,planet,comet,beast | q
investigate | untersuchen | thinker | acc:substance,fossil,result | q
dig dug +up | aus+graben gräbt grub gegraben | thinker | acc:fossil,statue | q
# technology
use | benutzen | human | acc:device,software,method | g
install | installieren | techie | acc:software | q
test | testen | techie,researcher | acc:device,software,vehicle | q
program | programmieren | techie | acc:robot,computer |
delete | löschen | human | acc:file,message,email,photo | h
download | herunter+laden lädt lud geladen | human | acc:software,file,song,film | h
save | speichern | human | acc:file,text,password,photo | h
work | funktionieren | device | | sx
switch +off | ab+schalten | techie | acc:machine,engine,computer | h
hack | knacken | hacker | acc:password,database,computer | h
"""

# Verbs of saying and thinking, with a clause: `english | german | conjunctions`.
REPORTING = """
say said | sagen | that
think thought | glauben | that
know knew known | wissen weiß wusste gewusst | that whether
hope | hoffen | that
hear heard | hören | that
believe | meinen | that
claim | behaupten | that
fear | befürchten | that
ask | fragen | whether
report | berichten | that
notice | bemerken | that
wonder | sich fragen | whether
confirm | bestätigen | that
"""

# Verbs with an infinitive: `english | german`.
CONTROLLING = """
try | versuchen
forget forgot forgotten | vergessen vergisst vergaß vergessenu
begin began begun | an+fangen fängt fing gefangen
decide | beschließen beschließt beschloss beschlossen
hope | hoffen
promise | versprechen verspricht versprach versprochen
plan | planen
refuse | sich weigern
"""
